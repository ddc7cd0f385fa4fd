"""Makes pictures of pages small: at most 256 colours, which is more than a page has but for the edges of letters."""

import base64
import struct
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser

IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"

MOST_BYTES: Final = 150_000
"""Largest picture: they are in the repository, and on the first screen of its page."""

REDUCE: Final = """async (data) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const pen = new OffscreenCanvas(image.width, image.height).getContext("2d");
  pen.drawImage(image, 0, 0);
  const pixels = new Uint32Array(pen.getImageData(0, 0, image.width, image.height).data.buffer);
  const counts = new Map();
  for (const pixel of pixels) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
  const palette = [...counts].sort(([, one], [, other]) => other - one).slice(0, 256).map(([pixel]) => pixel);
  const parts = (pixel) => [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  const known = palette.map(parts);
  const nearest = new Map(palette.map((pixel, at) => [pixel, at]));
  for (const pixel of counts.keys()) {
    if (nearest.has(pixel)) continue;
    const [red, green, blue] = parts(pixel);
    let [best, least] = [0, Infinity];
    known.forEach(([r, g, b], at) => {
      const far = (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
      if (far < least) [best, least] = [at, far];
    });
    nearest.set(pixel, best);
  }
  let written = "";
  for (const pixel of pixels) written += String.fromCharCode(nearest.get(pixel));
  return { width: image.width, height: image.height, palette: known.flat(), pixels: btoa(written) };
}"""
"""The browser reads the picture: nothing else here does. The most frequent colours stay, others become the nearest."""


def small(browser: "Browser", png: bytes) -> bytes:
    """Make a picture of few colours of one with many; PNG in, PNG out."""
    page = browser.new_page()
    try:
        made = page.evaluate(REDUCE, base64.b64encode(png).decode())
    finally:
        page.close()
    width, height, pixels = made["width"], made["height"], base64.b64decode(made["pixels"])
    lines = b"".join(b"\0" + pixels[at : at + width] for at in range(0, width * height, width))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"PLTE", bytes(made["palette"])), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
