"""Draws check.dot as check.svg, with a white background and a fixed text colour, so that a dark page shows it too."""

from pathlib import Path

from kleene.report.drawing.svg import svg_of_dot

HERE = Path(__file__).parent
STYLE = "max-width:100%;height:auto"

if __name__ == "__main__":
    text = svg_of_dot(
        (HERE / "check.dot").read_text(encoding="utf-8"), label="The way of a C program through kleene check"
    )
    coloured = text.replace(STYLE, f"{STYLE};background:#fff;color:#1f2328", 1)
    (HERE / "check.svg").write_text(coloured, encoding="utf-8")
