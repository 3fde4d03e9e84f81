"""XML documents of texts from outside."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from simulator.printable import one_line, printable


def child(parent: Element, tag: str, text: str = "", /, **attributes: object) -> Element:
    """A new element in another. Names of attributes have `_` for `-`; what XML cannot hold is shown as an escape."""
    element = SubElement(parent, tag, shown(attributes))
    if text:
        element.text = printable(text)
    return element


def shown(attributes: dict[str, object]) -> dict[str, str]:
    """Attributes as texts."""
    return {name.replace("_", "-"): one_line(str(value)) for name, value in attributes.items()}


def document(root: Element, doctype: str = "") -> str:
    """The whole text. Leaves the tree indented."""
    indent(root)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' + (f"{doctype}\n" if doctype else "")
    return head + tostring(root, encoding="unicode") + "\n"
