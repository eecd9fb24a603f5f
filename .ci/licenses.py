"""Are all packages that ``incerta[all]`` brings under licenses that anybody can use?

    .venv/bin/python .ci/licenses.py [EXTRA ...]

Walks the requirements of what is installed, and ends with 1 if a package names no
license, or one that is not in the list.
"""

import re
import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-CMU",
    "MPL-2.0",
    "PSF-2.0",
    "Python-2.0",
    "Zlib",
}
# How packages say it that do not use the names of SPDX.
SAID = {
    "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache": "Apache-2.0",
    "bsd": "BSD",
    "bsd license": "BSD",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "isc license (iscl)": "ISC",
    "mit license": "MIT",
    "mozilla public license 2.0 (mpl 2.0)": "MPL-2.0",
    "psf": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
}


def tree(name, extras, found):
    """All that a package with extras requires, into `found`."""
    key = re.sub(r"[-_.]+", "-", name).lower()
    new = set(extras) - found.get(key, set())
    if key in found and not new:
        return found
    found[key] = found.get(key, set()) | set(extras)
    for line in distribution(name).requires or ():
        wanted = Requirement(line)
        asked = ("", *extras)
        if wanted.marker and not any(
            wanted.marker.evaluate({"extra": extra}) for extra in asked
        ):
            continue
        tree(wanted.name, wanted.extras, found)
    return found


def licenses(name):
    """The licenses that a package names: all of them hold, or one is chosen."""
    about = distribution(name).metadata
    kinds = [
        line.rpartition(" :: ")[2]
        for line in about.get_all("Classifier") or ()
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    expression = about.get("License-Expression")
    if expression or not kinds:
        # The older field has an expression too, the text of a license, or nothing.
        said = expression or (about.get("License") or "").partition("\n")[0]
        kinds = [part.strip(" ()") for part in re.split(r"\bAND\b|\bOR\b", said)]
    return [SAID.get(kind.lower(), kind) for kind in kinds]


def main():
    extras = sys.argv[1:] or ["all"]
    names = sorted(tree("incerta", extras, {}))
    bad = 0
    for name in names:
        try:
            said = licenses(name)
        except PackageNotFoundError:
            said = ["not installed"]
        known = set(said) <= ALLOWED
        bad += not known
        print(f"{'' if known else 'NOT IN THE LIST: '}{name}: {', '.join(said)}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
