"""Prints the lowest versions that pyproject.toml allows, as constraints for pip."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = project["optional-dependencies"]
named = [*project["dependencies"]]
for extra in sorted(extras.keys() - {"gpu", "docs", "lint", "release"}):
    named += [each for each in extras[extra] if not each.startswith("incerta[")]
for requirement in named:
    name, lowest = re.fullmatch(r"([\w.-]+)>=([\w.]+)", requirement).groups()
    # 2.0 is a series: pip takes its last release.
    print(f"{name}=={lowest}.*" if lowest.count(".") < 2 else f"{name}=={lowest}")
