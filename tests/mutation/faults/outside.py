"""Faults in model files, in the one call, in what is said, and in the commands."""

from functools import partial

from tests.mutation.fault import Fault

Checkpoints = partial(Fault, room="models/test_checkpoint.py")
Hostile = partial(Fault, room="models/test_hostile_files.py")
Models = partial(Fault, room="models/test_files.py")
Notes = partial(Fault, room="api/test_notes.py")
Novel = partial(Fault, room="api/test_novelty.py")
Writing = partial(Fault, room="backend/test_writing.py")

FAULTS = (
    # files that are complete, or absent -----------------------------------------------
    Writing(
        "backend/writing.py",
        "        beside.replace(target)\n",
        "        shutil.copy(beside, target)\n",
        "a file is copied into its place, where others see a half of it",
    ),
    Writing(
        "backend/writing.py",
        "    target = Path(os.path.realpath(path))\n",
        "    target = Path(path)\n",
        "a link is replaced by a file",
    ),
    Writing(
        "backend/writing.py",
        "        and not _is_running(int(made[2]))\n",
        "",
        "what another process is writing is removed",
    ),
    # models ---------------------------------------------------------------------------
    Models(
        "models/archive.py",
        "        if in_columns:\n            return flat.reshape(shape[::-1]).T\n",
        "",
        "arrays that lie in columns come back mixed up",
    ),
    Models(
        "models/archive.py",
        "(1980, 1, 1, 0, 0, 0)",
        "__import__('time').localtime()[:6]",
        "the same model gives other bytes later",
    ),
    Models(
        "models/values.py",
        "same = start, array.shape, array.strides, array.dtype.str",
        "same = start, array.shape, array.dtype.str",
        "an array and its transpose are one",
    ),
    Hostile(
        "models/values.py",
        "if (stops < starts).any() or total != len(data):",
        "if total != len(data):",
        "ends of texts go backwards",
    ),
    Hostile(
        "models/archive.py",
        "if sum(member.file_size for member in self._members) > self._n_bytes:",
        "if False:",
        "members that overlap hold more than the file",
    ),
    Checkpoints(
        "models/checkpoint.py",
        "        digest.update(np.ascontiguousarray(array).view(np.uint8).data)\n",
        "",
        "data of the same shape are the same data",
    ),
    Checkpoints(
        "models/checkpoint.py",
        '    return Checkpoint(place, int(there["seed"]))\n',
        "    return Checkpoint(place, seed)\n",
        "a computation without a seed goes on with another one",
    ),
    # api ------------------------------------------------------------------------------
    Novel(
        "api/novelty.py",
        "np.where(n_known > 0, by_error, 1.0)",
        "0.0",
        "a far value with a large error is novel",
    ),
    Novel(
        "api/novelty.py",
        "                height[rows - part.start, rows] = np.inf\n",
        "                pass\n",
        "objects of a fit are compared with themselves",
    ),
    Novel(
        "api/novelty.py",
        "    return max(NOVEL, float(np.log10(TABLES * max(n_objects, 1))))\n",
        "    return NOVEL\n",
        "of a million objects a thousand are called unlike the others",
    ),
    Novel(
        "api/novelty.py",
        "    variances = np.where(known, variances, spread)\n",
        "",
        "what a reference lacks is known to be the mean",
    ),
    Novel(
        "api/novelty.py",
        '    if data.meaning == "spread":\n',
        "    if False:\n",
        "objects with many values are as uncertain as one of these",
    ),
    Notes(
        "api/notes.py",
        "    if len(labels) < FEWEST or len(found) == 0:\n",
        "    if len(found) == 0:\n",
        "one of few objects is called a crumb",
    ),
    Notes(
        "api/notes.py",
        "if view.agreement < SOMETHING_ELSE]",
        "if view.agreement > SOMETHING_ELSE]",
        "views that agree are said to differ",
    ),
    Fault(
        "data/guess/described.py",
        " or known.min() <= 0:",
        ":",
        "logarithms of negative values are proposed",
        room="data/guess/test_guess.py",
    ),
    Fault(
        "api/clustering.py",
        "predict_proba(self._scaled(X))[:, self._order]\n",
        "predict_proba(self._scaled(X))\n",
        "columns of predictions are in another order than labels",
        room="api/test_cluster.py",
    ),
    Fault(
        "api/clustering.py",
        "        surest = sure[members] >= np.quantile(sure[members], 0.75)\n",
        "        surest = np.ones(len(members), dtype=bool)\n",
        "an object that may be of another cluster is typical of this one",
        room="api/test_cluster.py",
    ),
    Fault(
        "report/summarise.py",
        'ratios[worst] > 1 and not data["joint"]',
        "ratios[worst] > 1",
        "single values of joint data are said to say little",
        room="report/test_words.py",
    ),
    # cli ------------------------------------------------------------------------------
    Fault(
        "cli/output.py",
        "or NUMBER.fullmatch(cell)",
        "or False",
        "negative numbers get a mark against formulas",
        room="cli/test_outputs.py",
    ),
    Fault(
        "backend/writing.py",
        "                file.replace(folder / file.name)\n",
        "                (folder / file.name).exists() or "
        "file.replace(folder / file.name)\n",
        "results of before stay in their folder",
        room="cli/test_outputs.py",
    ),
    Fault(
        "cli/options.py",
        'key=lambda item: "." in item[0]',
        'key=lambda item: "." not in item[0]',
        "what is said for all methods goes before what is said for one",
        room="cli/test_params.py",
    ),
    Fault(
        "api/rows.py",
        "            if cells == header:\n                continue",
        "            if cells is header:\n                continue",
        "the header of an appended file is a bad row",
        room="cli/test_rows.py",
    ),
    Fault(
        "api/rows.py",
        '            self._mark = ","\n',
        '            return ","\n',
        "the decimal mark changes from piece to piece",
        room="cli/test_rows.py",
    ),
    Fault(
        "api/watcher.py",
        "        if self._number not in (None, number) and not self._pending:\n",
        "        if False:\n",
        "another number of clusters is believed at first sight",
        room="cli/test_watch.py",
    ),
    Fault(
        "api/check.py",
        "        less = self.alone.squares - self.with_errors.squares\n",
        "        less = self.with_errors.squares - self.alone.squares\n",
        "errors that help are said not to",
        room="cli/test_classify.py",
    ),
    Fault(
        "api/check.py",
        "    keys = [str(id) for id in data.ids.tolist()]\n",
        "    keys = [str(row) for row in range(len(data.ids))]\n",
        "classes go with rows though some rows were left out",
        room="cli/test_classify.py",
    ),
    Fault(
        "data/files/opened.py",
        '        id = id or (NAMES if self._format == ".h5ad" else None)\n',
        "",
        "classes of cells are looked for by row, not by name",
        room="cli/test_compare.py",
    ),
)
