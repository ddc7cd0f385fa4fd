"""`python -m duologue.server` is `duologue`."""

from duologue.server.cli import main

main()
