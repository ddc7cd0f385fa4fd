"""What can be set of pictures."""

from typing import Annotated

from msgspec import Meta

from duologue.server.settings_section import Section


class PhotosSettings(Section):
    """Pictures that people send. See docs/security.md."""

    keep_location: Annotated[
        bool,
        Meta(
            description=(
                "Keep pictures as they were sent, with the place, time and camera that their metadata may tell."
                " false: all of it is removed before a picture is stored."
            )
        ),
    ] = False
