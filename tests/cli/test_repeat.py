"""The Python that a report gives repeats what the command did, as it stands."""

import json
from dataclasses import replace

import numpy as np
import pytest

import incerta as ic
from incerta.data.tables.spec import TableSpec
from incerta.report.summarize import python_of


@pytest.fixture
def semicolons(tmp_path):
    """A table as some spreadsheets write it: semicolons, decimal commas, cp1252."""
    rng = np.random.default_rng(0)
    lines = ["Größe;masse;masse_err;licht;licht_err"]
    for i in range(30):
        values = [*rng.normal(5.0 * (i % 3), 0.3, 2).round(3), 0.25]
        mass, light, error = (f"{value}".replace(".", ",") for value in values)
        lines.append(f"é{i};{mass};{error};{light};{error}")
    path = tmp_path / "sterne & co.csv"
    path.write_text("\n".join(lines) + "\n", encoding="cp1252")
    return path


def test_code_in_the_summary_is_runnable(call, semicolons, tmp_path):
    options = ["--id", "Größe", "--values", "masse,licht", "--errors", "{}_err"]
    options += ["--sep", ";", "--decimal", ",", "--encoding", "cp1252", "-k", "3"]
    out = tmp_path / "out"
    call("fit", semicolons, *options, "--method", "UKMeans", "-q", "-o", out)
    code = json.loads((out / "summary.json").read_text("utf-8"))["reproduce"]["python"]
    names = {}
    exec(code, names)
    saved = ic.load(out / "model.incerta")
    assert names["data"].ids.tolist() == saved.ids.tolist()
    assert names["result"].labels.tolist() == saved.labels.tolist()
    assert saved.spec.to_python(str(semicolons)) in code


def test_what_came_from_stdin_is_to_be_saved():
    blobs, _ = ic.datasets.make_uncertain_blobs(20, 2, 2, random_state=0)
    result = replace(ic.cluster(blobs, 2), file="-", spec=TableSpec(values=("m",)))
    assert "# stdin.csv: the table from stdin.\ndata = ic.read_table('stdin.csv', " in (
        python_of(result)
    )
