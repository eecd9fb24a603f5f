import gzip
import warnings

import numpy as np
import pytest

import incerta as ic
from incerta.exceptions import DataError, FileError, IncertaWarning

table = pytest.importorskip("astropy.table", reason="needs the extra science")
fits = pytest.importorskip("astropy.io.fits", reason="needs the extra science")


@pytest.fixture
def stars():
    """Numbers of several kinds, of which some are missing, text and vectors."""
    return table.Table(
        {
            "star": ["α", "b", "cc", "007"],
            "x": np.array([1.5, np.nan, 3.5, 4.5]),
            "x_sd": np.array([0.1, 0.2, 0.3, 0.4], "f4"),
            "n": table.MaskedColumn([1, 2, 3, 4], mask=[0, 0, 1, 0]),
            "flux": np.ones((4, 3)),
        }
    )


def written(stars, path):
    name = path.name
    if name.endswith((".fits", ".fits.gz")):
        # Text of FITS is ASCII.
        stars["star"] = [name.replace("α", "a") for name in stars["star"]]
        stars.write(path)
    elif name.endswith(".ecsv"):
        stars.write(path)
    else:
        kind = "binary2" if name.startswith("b") else "tabledata"
        stars.write(path, format="votable", tabledata_format=kind)
    return path


FORMATS = ["a.fits", "a.fits.gz", "a.vot", "b.votable", "a.xml", "a.ecsv"]


@pytest.mark.parametrize("name", FORMATS)
def test_reads(stars, tmp_path, name):
    path = written(stars, tmp_path / name)
    said = {"id": "star", "errors": "{}_sd", "values": ["x"]}
    with pytest.raises(DataError, match="1 in 'x'; the first object is b"):
        ic.read_table(path, **said, missing="error")
    with pytest.warns(IncertaWarning, match="1 missing value of 1 object"):
        data = ic.read_table(path, **said, missing="impute")
    assert data.ids.tolist() == list(stars["star"])
    np.testing.assert_array_equal(data.mean()[[0, 2, 3], 0], [1.5, 3.5, 4.5])
    np.testing.assert_allclose(np.sqrt(data.variance()[[0, 2, 3], 0]), [0.1, 0.3, 0.4])
    with pytest.raises(DataError, match="1 in 'n'; the first object is cc"):
        ic.read_table(path, id="star", values="n")
    with pytest.raises(DataError, match=r"'flux' holds 3 entries in each row. If"):
        ic.read_table(path, id="star", values="flux")


def test_units(stars, tmp_path):
    for name, unit in (("x", "mas"), ("x_sd", "mas"), ("n", "deg")):
        stars[name].unit = unit
    path = written(stars[[0, 3]], tmp_path / "a.fits")
    with pytest.warns(IncertaWarning, match="left out: mas of 'x', deg of 'n'"):
        ic.read_table(path, values=["x", "n"])
    stars["x_sd"].unit = "arcsec"
    path = written(stars[[0, 3]], tmp_path / "b.fits")
    with pytest.raises(DataError, match="'x_sd' has the unit 'arcsec', its values"):
        ic.read_table(path, values="x", errors="{}_sd")


def test_first_table_with_the_columns(stars, tmp_path):
    other = table.Table({"y": [1.0, 2.0]})
    parts = [fits.PrimaryHDU(), fits.ImageHDU(np.ones((2, 2)))]
    parts += [fits.table_to_hdu(other), fits.table_to_hdu(table.Table({"x": [3.0]}))]
    fits.HDUList(parts).writeto(tmp_path / "d.fits")
    assert ic.read_table(tmp_path / "d.fits", values="x").mean().tolist() == [[3.0]]
    with pytest.raises(DataError, match=r"'z'.* first of 2 tables; none has all"):
        ic.read_table(tmp_path / "d.fits", values="z")
    fits.HDUList(parts[:2]).writeto(tmp_path / "e.fits")
    with pytest.raises(FileError, match=r"e.fits holds no table"):
        ic.read_table(tmp_path / "e.fits", values="x")


def test_missing_and_scaled_numbers_of_fits(tmp_path):
    stored = fits.Column("x", "I", array=np.array([-18, -16, -99], "i2"), null=-99)
    part = fits.BinTableHDU.from_columns([stored])
    part.header["TSCAL1"], part.header["TZERO1"] = 0.5, 10.0
    part.writeto(tmp_path / "d.fits")
    data = ic.read_table(tmp_path / "d.fits", values="x", missing="infinite")
    np.testing.assert_array_equal(data.mean().ravel(), [1, 2, np.nan])
    ascii_column = fits.Column("x", "F8.3", array=np.array([1.0, 2.5]), null="---")
    fits.TableHDU.from_columns([ascii_column]).writeto(tmp_path / "e.fits")
    assert ic.read_table(tmp_path / "e.fits", values="x").mean().ravel().tolist() == [
        1,
        2.5,
    ]
    content = (tmp_path / "e.fits").read_bytes()
    (tmp_path / "e.fits").write_bytes(content.replace(b"   2.500", b"     ---"))
    with pytest.raises(DataError, match="1 in 'x'"):
        ic.read_table(tmp_path / "e.fits", values="x")


def test_cut(stars, tmp_path):
    many = table.Table({"x": np.arange(5000.0)})
    many.write(tmp_path / "d.fits")
    whole = (tmp_path / "d.fits").read_bytes()
    (tmp_path / "e.fits").write_bytes(whole[:20000])
    with pytest.raises(FileError, match="truncated"):
        ic.read_table(tmp_path / "e.fits", values="x")
    (tmp_path / "e.fits.gz").write_bytes(gzip.compress(whole)[:-20])
    with pytest.raises(FileError, match="cannot be read"):
        ic.read_table(tmp_path / "e.fits.gz", values="x")
    with pytest.raises(FileError, match="holds at least"):
        ic.read_table(tmp_path / "d.fits", values="x", max_bytes=1000)


VOTABLE = (
    '<?xml version="1.0"?>{before}<VOTABLE version="1.3" '
    'xmlns="http://www.ivoa.net/xml/VOTable/v1.3"><RESOURCE><TABLE {about}>'
    '<FIELD name="x" datatype="double"/><DATA>{data}</DATA></TABLE></RESOURCE>'
    "</VOTABLE>"
)
ROWS = "<TABLEDATA><TR><TD>{}</TD></TR></TABLEDATA>"
BOMB = (
    '<!DOCTYPE V [<!ENTITY a "1111111111"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    '<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]>'
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (VOTABLE.format(before=BOMB, about="", data=ROWS.format("&c;")), "entity 'a'"),
        (
            VOTABLE.format(
                before='<!DOCTYPE V [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
                about="",
                data=ROWS.format("&x;"),
            ),
            "declares the entity 'x'",
        ),
        (
            VOTABLE.format(
                before="",
                about="",
                data='<BINARY><STREAM href="file:///etc/passwd"/></BINARY>',
            ),
            "has its data elsewhere, at file:///etc/passwd, which is not followed",
        ),
        (
            VOTABLE.format(
                before="",
                about="",
                data='<BINARY><STREAM encoding="gzip">aaaa</STREAM></BINARY>',
            ),
            "packs its data by gzip",
        ),
        (
            VOTABLE.format(before="", about='nrows="99999999999"', data=ROWS.format(1)),
            "cannot hold 99999999999 rows",
        ),
        ("<html><body/></html>", "is not a VOTable: it begins with <html>"),
        ("x,y\n1,2\n", "cannot be read"),
    ],
)
def test_refused_votables(tmp_path, text, why):
    (tmp_path / "d.xml").write_text(text)
    with pytest.raises(FileError, match=why):
        ic.read_table(tmp_path / "d.xml", values="x")


def test_votable_with_a_document_type(tmp_path):
    before = '<!DOCTYPE VOTABLE SYSTEM "http://us-vo.org/xml/VOTable.dtd">'
    text = VOTABLE.format(before=before, about='nrows="1"', data=ROWS.format("2.5"))
    (tmp_path / "d.xml").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = ic.read_table(tmp_path / "d.xml", values="x")
    assert data.mean().tolist() == [[2.5]]
