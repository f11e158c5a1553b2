"""Excel workbooks, made by hand: no library that writes them is needed."""

from __future__ import annotations

import zipfile

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
    "</cellXfs></styleSheet>"
)


def cell(reference, value):
    if isinstance(value, bool):
        return f'<c r="{reference}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{reference}"><v>{value}</v></c>'
    if value.startswith("date "):
        return f'<c r="{reference}" s="1"><v>{value[5:]}</v></c>'
    if value == "#N/A":
        return f'<c r="{reference}" t="e"><v>#N/A</v></c>'
    return f'<c r="{reference}" t="inlineStr"><is><t>{value}</t></is></c>'


def workbook(path, sheets, *, merged="", hidden=()):
    """Write sheets of cells by reference, such as {"A1": "item"}."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
            'ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{_LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        )
        archive.writestr("xl/styles.xml", _STYLES)
        listed, links = "", ""
        for i, (name, cells) in enumerate(sheets.items(), 1):
            state = ' state="hidden"' if name in hidden else ""
            listed += f'<sheet name="{name}" sheetId="{i}"{state} r:id="r{i}"/>'
            links += (
                f'<Relationship Id="r{i}" Type="{_LINKS}/worksheet" '
                f'Target="worksheets/sheet{i}.xml"/>'
            )
            rows: dict[int, str] = {}
            for reference, value in cells.items():
                row = int(reference.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
                rows[row] = rows.get(row, "") + cell(reference, value)
            data = "".join(f'<row r="{row}">{text}</row>' for row, text in sorted(rows.items()))
            archive.writestr(
                f"xl/worksheets/sheet{i}.xml",
                f'<worksheet xmlns="{_MAIN}"><sheetData>{data}</sheetData>{merged}</worksheet>',
            )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{_PACKAGE}/relationships">{links}<Relationship Id="s" '
            f'Type="{_LINKS}/styles" Target="styles.xml"/></Relationships>',
        )
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_LINKS}"><sheets>{listed}</sheets></workbook>',
        )
    return path
