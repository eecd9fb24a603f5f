"""The commands of the README and of the documentation run as they are written."""

import os
import re
import shlex
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest

from tests.extras import needs

pytestmark = needs("jinja2", "report")
ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "docs/cli.rst"]


def commands_of(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"^    (incerta .+)$", text, re.MULTILINE)


@pytest.fixture
def folder(tmp_path):
    """The tables that the commands are about."""
    rng = np.random.default_rng(0)
    for name, n in (("survey", 60), ("later", 5)):
        place = 20.0 * rng.integers(3, size=n)
        rows = ["county,income,income_moe,rent,rent_moe"]
        rows += [
            f"c{i},{place[i] + rng.normal():.3f},{rng.uniform(0.5, 2):.3f},"
            f"{place[i] / 2 + rng.normal():.3f},{rng.uniform(0.5, 2):.3f}"
            for i in range(n)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(rows) + "\n")
    known = (tmp_path / "survey.csv").read_text().splitlines()
    south = [float(row.split(",")[1]) < 10.0 for row in known[1:]]
    rows = [f"{known[0]},region"]
    rows += [f"{r},{'south' if s else 'north'}" for r, s in zip(known[1:], south)]
    (tmp_path / "known.csv").write_text("\n".join(rows) + "\n")
    rows = ["sample,x,y"]
    rows += [
        f"s{i},{9 * (i % 2) + rng.normal():.3f},{rng.normal():.3f}"
        for i in range(20)
        for _ in range(3)
    ]
    (tmp_path / "replicates.csv").write_text("\n".join(rows) + "\n")
    ends = ",".join(
        f"{name}_err{k}" for name in ("koi_prad", "koi_teq") for k in (1, 2)
    )
    rows = [f"kepoi_name,koi_prad,koi_teq,{ends}"]
    rows += [
        f"K{i},{2 + 9 * (i % 2) + rng.random():.3f},{900 + 400 * (i % 2) + i},"
        "0.2,-0.1,30,-40"
        for i in range(30)
    ]
    (tmp_path / "koi.csv").write_text("\n".join(rows) + "\n")
    rows = ["source_id,pmra,pmdec,pmra_error,pmdec_error,pmra_pmdec_corr"]
    rows += [
        f"{i},{9 * (i % 2) + rng.normal():.3f},{rng.normal():.3f},0.3,0.4,0.2"
        for i in range(30)
    ]
    (tmp_path / "gaia.csv").write_text("\n".join(rows) + "\n")
    rows = ["site,owl,fox,hours"]
    rows += [
        f"s{i},{rng.poisson(9 + 20 * (i % 2))},{rng.poisson(30)},{1 + i / 30:.2f}"
        for i in range(30)
    ]
    (tmp_path / "sites.csv").write_text("\n".join(rows) + "\n")
    rows = ["plant,height_1,height_2,height_3,width_1,width_2"]
    rows += [
        f"p{i}," + ",".join(f"{9 * (i % 3) + rng.normal():.3f}" for _ in range(5))
        for i in range(30)
    ]
    (tmp_path / "plants.csv").write_text("\n".join(rows) + "\n")
    return tmp_path


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.slow) if "cli" in str(page) else page
        for page in PAGES
    ],
)
def test_commands_run(page, folder, call):
    # The demo has tests of its own, and takes as long as all others.
    commands = [c for c in commands_of(page) if not c.startswith("incerta demo")]
    assert commands
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    for command in commands:
        if page != "README.md":  # starting takes seconds
            words, _, file = command.partition(" > ")
            with chdir(folder):
                done = call(*shlex.split(words)[1:])
            if file:
                (folder / file).write_text(done.stdout, encoding="utf-8")
            continue
        if os.name == "nt":
            pytest.skip("these commands are for a shell that Windows lacks")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            capture_output=True,
            text=True,
            env={"PATH": path, "HOME": str(folder), "LC_ALL": "C.UTF-8"},
        )
        assert done.returncode == 0, (command, done.stderr)
    assert (folder / "out" / "report.html").exists()
