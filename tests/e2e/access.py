"""What can be measured of a page's accessibility, in the browser that draws it. Source: WCAG 2.2."""

from typing import Any, Final

from playwright.sync_api import Page

AA: Final = 4.5
"""Contrast of text. Source: 1.4.3."""

AA_LARGE: Final = 3.0
"""Contrast of text from 24 px on, or from 18.66 px where it is bold, and of what is no text. Source: 1.4.3, 1.4.11."""

POOR: Final = """({ least, leastLarge }) => {
  const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const read = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = pen.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  };
  const mix = (above, below) => below.slice(0, 3).map((part, at) => above[at] * above[3] + part * (1 - above[3]));
  const over = (above, below) => [...mix(above, below), 1];
  const groundOf = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const colour = read(getComputedStyle(at).backgroundColor);
      if (colour[3] > 0) layers.push(colour);
      if (colour[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const luminance = (colour) => colour.slice(0, 3)
    .map((value) => value / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const left = ".unseen, .skip, [hidden], noscript, script, style, :disabled, [aria-disabled=true], svg";
  const seen = (element) => element.checkVisibility() && element.closest(left) === null;
  const poor = {};
  let looked = 0;
  const judge = (words, element, colour) => {
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const ground = groundOf(element);
    const ratio = contrast(over(read(colour), ground), ground);
    looked += 1;
    const name = `${element.localName}.${element.className}: ${words.slice(0, 40)}`;
    if (ratio < (large ? leastLarge : least)) poor[name] = Number(ratio.toFixed(2));
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const words = node.data.trim();
    const around = node.parentElement;
    if (words && seen(around)) judge(words, around, getComputedStyle(around).color);
  }
  for (const field of document.querySelectorAll("[placeholder]")) {
    if (seen(field)) judge(field.placeholder, field, getComputedStyle(field, "::placeholder").color);
  }
  return { poor, looked };
}"""
"""Finds each text that is seen and does not stand out from what is behind it, as it is drawn."""

STOP: Final = """() => {
  const it = document.activeElement;
  const shows = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
  };
  const sheet = it.closest(".sheet");
  const box = it.getBoundingClientRect();
  return {
    at: it === document.body ? "" : it.localName,
    name: it.getAttribute("aria-label") || it.textContent.trim().slice(0, 60) || it.id || it.localName,
    marked: shows(it) || (sheet !== null && shows(sheet)),
    inside: box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
  };
}"""
"""Where the focus is, and whether it can be seen. A field for writing has its mark around its sheet."""


def poor_contrast(page: Page) -> dict[str, float]:
    """Texts that are hard to read, with their contrast."""
    # Any: what the script found.
    found: dict[str, Any] = page.evaluate(POOR, {"least": AA, "leastLarge": AA_LARGE})
    assert found["looked"] > 5, "a page without text"
    return found["poor"]


def walk_by_tab(page: Page, *, most: int = 120) -> list[str]:
    """Go through a page by Tab, from its first link to its end; each stop can be seen, and seen to have the focus.

    Returns:
        The names of the stops, in order.
    """
    page.evaluate("document.activeElement.blur()")
    page.locator(".skip").focus()
    stops: list[str] = []
    for _ in range(most):
        stop = page.evaluate(STOP)
        if not stop["at"]:
            return stops
        assert stop["marked"], f"the focus is not seen: {stop}"
        assert stop["inside"], f"what has the focus is not in sight: {stop}"
        stops.append(stop["name"])
        page.keyboard.press("Tab")
    raise AssertionError(f"no end: {stops}")


def sideways(page: Page) -> list[str]:
    """What makes a page wider than its window; what scrolls by itself may hold more than it shows."""
    found: list[str] = page.evaluate(
        """() => {
          if (document.documentElement.scrollWidth <= innerWidth) return [];
          return [...document.querySelectorAll("body *")]
            .filter((it) => it.checkVisibility() && it.getBoundingClientRect().right > innerWidth + 1)
            .map((it) => `${it.localName}.${it.className}`);
        }"""
    )
    return found
