import zipfile

import pytest

import incerta as ic
from incerta.data.files.sheets import gaps_of
from incerta.exceptions import FileError

pytest.importorskip("python_calamine", reason="needs the extra io")

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
PARTS = {
    "_rels/.rels": (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>'
    ),
    "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"/>',
    "xl/_rels/workbook.xml.rels": (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>'
    ),
    "xl/workbook.xml": (
        f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
        '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'
    ),
}
HEADER = '<row r="1"><c r="A1" t="inlineStr"><is><t>h</t></is></c></row>'
LIMIT = 2**22


def write_zip(path, parts):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return path


def xlsx(path, rows, **more):
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{rows}</sheetData></worksheet>'
    return write_zip(path, {**PARTS, "xl/worksheets/sheet1.xml": sheet, **more})


def ods(path, rows):
    names = " ".join(
        f'xmlns:{name}="{ODF}:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f"<office:document-content {names}><office:body><office:spreadsheet>"
        f'<table:table table:name="S">{rows}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = f'<m:manifest xmlns:m="{ODF}:manifest:1.0"/>'
    parts = {"mimetype": kind, "META-INF/manifest.xml": manifest}
    return write_zip(path, {**parts, "content.xml": content})


def refused(path, why, **said):
    with pytest.raises(FileError, match=why):
        ic.read_table(path, values="h", max_bytes=LIMIT, **said)


class TestExcel:
    def test_far_cells_that_are_empty(self, tmp_path):
        rows = (
            '<row r="2"><c r="A2"><v>3</v></c></row>'
            '<row r="1048576"><c r="XFD1048576" s="1"/></row>'
        )
        path = xlsx(tmp_path / "d.xlsx", HEADER + rows)
        assert ic.read_table(path, values="h", max_bytes=LIMIT).mean() == [[3]]

    def test_unpacks_to_much(self, tmp_path):
        more = {"xl/sharedStrings.xml": " " * (LIMIT + 1)}
        path = xlsx(tmp_path / "d.xlsx", HEADER, **more)
        assert path.stat().st_size < LIMIT / 500
        refused(path, "holds at least 4 MiB")

    def test_gaps(self, tmp_path):
        rows = (
            '<row r="2"><c r="A2" t="e"><v>#N/A</v></c><c t="e" r="AB2"><v>#REF!</v>'
            '</c><c r="C2"><f>A1</f><v/></c><c r="D2"><f>A1</f></c>'
            '<c r="E2"><f>A1</f><v>2</v></c></row>'
        )
        path = xlsx(tmp_path / "d.xlsx", HEADER + rows)
        found = {"S": ([(1, 0), (1, 27)], 2)}
        assert gaps_of(path, LIMIT) == found

    def test_not_a_book(self, tmp_path):
        path = write_zip(tmp_path / "d.xlsx", {"a.txt": "b"})
        refused(path, "cannot be read")
        path.write_text("h\n1\n")
        refused(path, "is not a spreadsheet file, or is locked")


class TestOpenDocument:
    CELL = (
        '<table:table-cell office:value-type="float" office:value="{}" '
        'table:number-columns-repeated="{}"/>'
    )
    NAME = (
        '<table:table-row><table:table-cell office:value-type="string">'
        "<text:p>h</text:p></table:table-cell></table:table-row>"
    )

    def test_repeated_cells(self, tmp_path):
        row = '<table:table-row table:number-rows-repeated="{}">{}</table:table-row>'
        twice = row.format(2, self.CELL.format(3, 1))
        empty = row.format(
            1_000_000, '<table:table-cell table:number-columns-repeated="16000"/>'
        )
        path = ods(tmp_path / "e.ods", self.NAME + twice + empty)
        data = ic.read_table(path, values="h", max_bytes=LIMIT)
        assert data.mean().ravel().tolist() == [3, 3]

    def test_error_cells(self, tmp_path):
        row = (
            '<table:table-row><table:table-cell office:value-type="string">'
            "<text:p>#DIV/0!</text:p></table:table-cell></table:table-row>"
        )
        number = f"<table:table-row>{self.CELL.format(4, 1)}</table:table-row>"
        path = ods(tmp_path / "d.ods", self.NAME + row + number)
        with pytest.warns(ic.exceptions.IncertaWarning, match="1 cell .* row 2"):
            data = ic.read_table(path, values="h", missing="infinite")
        assert data.n_objects == 2
