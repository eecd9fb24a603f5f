"""Faults in reading tables and files, and in what follows from repeats."""

from functools import partial

from tests.mutation.fault import Fault

Cells = partial(Fault, room="data/files/test_numbers.py")
Digits = partial(Fault, room="cli/test_guessing.py")
Errors = partial(Fault, room="data/tables/test_errors.py")
Files = partial(Fault, room="data/files/test_read.py")
Frames = partial(Fault, room="data/test_from_frame.py")
Guesses = partial(Fault, room="data/guess/test_guess.py")

FAULTS = (
    # guesses --------------------------------------------------------------------------
    Guesses(
        "data/tables/names.py",
        'if len(alike) == 1 and times[match["value"]] == 1:',
        "if alike:",
        "an error belongs to the first of those that begin alike",
    ),
    Guesses(
        "data/tables/names.py",
        'if begins and not any(map(_NO_VALUE.fullmatch, re.split(r"[\\W_]+", after))):',
        "if begins:",
        "a standard deviation is the error of a maximum",
    ),
    Guesses(
        "data/tables/names.py",
        "not stem[-1].isupper() and (after[:1].isupper() or stem[-1].isdecimal())",
        "after",
        "letters that begin alike are a word in common",
    ),
    Guesses(
        "data/guess/guess.py",
        'if named.kind == "rel%" and not percent and not (numbers >= 1).any():',
        "if False:",
        "shares are errors in percent",
    ),
    Guesses(
        "data/tables/names.py",
        " if n != values[0] and ids.isdisjoint(words_of(n)[-1:])]",
        " if n != values[0]]",
        "numbers of objects are values",
    ),
    Guesses(
        "data/guess/guess.py",
        "    if orphans:\n",
        "    if False:\n",
        "values that are named as errors are not told",
    ),
    Guesses(
        "data/tables/names.py",
        'if ends["E"] == ends["M"] and len(ends["E"]) > 1:',
        'if ends["E"] == ends["M"]:',
        "a single pair of letters is an estimate and its margin",
    ),
    Guesses(
        "data/guess/guess.py",
        "Named(value.name, (error.name,), kind_of(error.name), ())",
        "Named(value.name, (error.name,), None, ())",
        "the kind of an error that its cells show is not read",
    ),
    Guesses(
        "data/guess/guess.py",
        "        len(pairs) >= ALMOST_ALL * (int(objects.max()) + 1) * n_things\n",
        "        True\n",
        "things are measured of objects that have few of them",
    ),
    Guesses(
        "data/guess/guess.py",
        "        and n_usual >= ALMOST_ALL * len(pairs)\n",
        "",
        "houses of some kind are measured of each city",
    ),
    Cells(
        "data/files/numbers.py",
        "return None if parts is None or parts.error or parts.last else parts\n",
        "return parts\n",
        "an error has an error",
    ),
    Digits(
        "data/files/text.py",
        r'whole = r"(0|[1-9]\d{0,14})"',
        r'whole = r"(0|[1-9]\d*)"',
        "ids of many digits are floats",
    ),
    Guesses(
        "data/tables/names.py",
        'return "moe95" if "95" in word else "moe90"',
        'return "moe90"',
        "the level of a margin is not read",
    ),
    Guesses(
        "data/tables/names.py",
        "stem: name for stem, name in bare if times[stem] == 1",
        "stem: name for stem, name in bare",
        "an error belongs to any of several values",
    ),
    Guesses(
        "data/tables/names.py",
        "        if other == name or other not in known:\n",
        "        if True:\n",
        "the unit of an error is not that of its value",
    ),
    Guesses(
        "data/tables/names.py",
        "if value not in known or len(value) < SHORTEST:",
        "if value not in known:",
        "a word with the letters of an error is one",
    ),
    Guesses(
        "data/tables/names.py",
        "if len(pairs) > 1 or 2 * len(pairs) == len(names) > 0:",
        "if pairs:",
        "a letter before one of several values is an error",
    ),
    Guesses(
        "data/tables/names.py",
        "if others == set(errors) and len(errors) == 1:",
        "if len(errors) == 1:",
        "mean and deviation among other features are a value and its error",
    ),
    Guesses(
        "data/tables/names.py",
        'return Named(value, (above, name), "plusminus", ("E_{}", "e_{}"))',
        'return Named(value, (name, above), "plusminus", ("e_{}", "E_{}"))',
        "upper and lower errors of VizieR are swapped",
    ),
    Guesses(
        "data/tables/names.py",
        'if not unit or "%" in unit:',
        "if True:",
        "errors in grams are those of values in kilograms",
    ),
    Guesses(
        "data/guess/guess.py",
        "        if _share(word.coded(), time)[0]\n",
        "",
        "words that have a date twice may be objects",
    ),
    Guesses(
        "data/guess/guess.py",
        "    if perhaps is not None and not measured:\n",
        "    if False:\n",
        "words with dates are never objects",
    ),
    Guesses(
        "data/guess/guess.py",
        "if all(n != reading.id for reading in kept)",
        "",
        "what names the objects are also their classes",
    ),
    Fault(
        "data/files/dialect.py",
        "    if not first.startswith(COMMENT) or not below:\n",
        "    if not first.startswith(COMMENT):\n",
        "a file of comments alone is no table",
        room="tables/test_corpus.py",
    ),
    Fault(
        "data/files/dialect.py",
        "len(first.split(mark)) == len(cells) > 1 and any(map(_is_number, cells))",
        "False",
        "a header that begins like a comment is one",
        room="tables/test_corpus.py",
    ),
    # tables ---------------------------------------------------------------------------
    Errors(
        "data/tables/errors.py",
        '"moe90": QUANTILE_95,',
        '"moe90": QUANTILE_975,',
        "a 90 % margin is read as one of 95 %",
    ),
    Errors(
        "data/tables/errors.py",
        "width = (high - low) / (2 * QUANTILE_OF[spec.error_kind])",
        "width = (high - low) / QUANTILE_OF[spec.error_kind]",
        "confidence intervals are read as margins on one side",
    ),
    Errors(
        "data/tables/errors.py",
        "        std = std / (value * np.log(10.0))\n",
        "        std = std / value\n",
        "errors of decimal logarithms are those of natural ones",
    ),
    Errors(
        "data/tables/errors.py",
        "value, above, below = (rows.finite(column)",
        "value, below, above = (rows.finite(column)",
        "upper and lower errors are swapped",
    ),
    Frames(
        "data/tables/errors.py",
        "value, error = np.where(none, np.nan, value), np.where(none, np.nan, error)",
        "error = np.where(none, np.nan, error)",
        "a filler beside an ivar of 0 is taken for a value",
    ),
    Fault(
        "data/tables/errors.py",
        "        matrices[:, i, j] = matrices[:, j, i] = column\n",
        "        matrices[:, i, j] = column\n",
        "a correlation stands on one side of the matrix",
        room="data/tables/test_correlations.py",
    ),
    Fault(
        "data/tables/gaps.py",
        "        cov[np.ix_(rows, m, m)] = residual + across @ B.T\n",
        "        cov[np.ix_(rows, m, m)] = residual\n",
        "an uncertain known value makes the imputed one no less certain",
        room="data/tables/test_impute.py",
    ),
    Fault(
        "data/tables/draws.py",
        "shifted = np.sqrt(effects.unsure) * rng.standard_normal(effects.unsure.shape)",
        "shifted = np.zeros(effects.unsure.shape)",
        "shifts of joint draws count as known",
        room="data/tables/test_draws.py",
    ),
    Fault(
        "data/tables/draws.py",
        "places = np.ix_(np.argsort(draws), np.argsort(ids))",
        "places = np.ix_(np.arange(len(draws)), np.arange(len(ids)))",
        "what is filled in depends on the order of the rows",
        room="data/tables/test_draws.py",
    ),
    Fault(
        "data/from_table.py",
        "cube[:, places[end], j] =",
        "cube[:, list(columns).index(end), j] =",
        "repeats of values that have different ones are mixed up",
        room="data/tables/test_repeats.py",
    ),
    Frames(
        "data/tables/draws.py",
        "cells: Indices = draws.codes * len(coded.ids) + coded.codes",
        "cells: Indices = draws.codes * len(draws.ids) + coded.codes",
        "pairs of draw and object are numbered by the number of draws",
    ),
    # files ----------------------------------------------------------------------------
    Cells(
        "data/files/numbers.py",
        "    if decimal not in cell.last:  # 12.3(4) is 12.3 ± 0.4\n",
        "    if False:\n",
        "12.3(4) is 12.3 ± 4",
    ),
    Cells(
        "data/files/numbers.py",
        '    return error * float(f"1{cell.power}")\n',
        "    return error\n",
        "a power of ten is not that of the error in parentheses",
    ),
    Cells(
        "data/files/numbers.py",
        '        last = "." if body.rfind(".") > body.rfind(",") else ","\n',
        '        last = "," if body.rfind(".") > body.rfind(",") else "."\n',
        "the first of two marks is the decimal one",
    ),
    Cells(
        "data/files/numbers.py",
        "    if len(rows) > 1:\n        (_, i), (_, j) = ",
        '    if len(set(rows) - {""}) > 1:\n        (_, i), (_, j) = ',
        "numbers without a unit pass beside those with one",
    ),
    Cells(
        "data/files/numbers.py",
        "    values[np.isin(values, numbers_of(rules.na))] = np.nan\n",
        "",
        "-999.0 is a number though na says -999",
    ),
    Cells(
        "data/files/oddities.py",
        "return times if gap > high - low else 0",
        "return times if gap > 0 else 0",
        "any 99 at the end of a column is called a mark",
    ),
    Cells(
        "data/files/cells.py",
        "return numbers if same else words",
        "return numbers",
        "station 050114 loses its zero",
    ),
    Files(
        "data/files/cells.py",
        "line, begin = begin + source.n_skipped, rows.line_num + 1",
        "line, begin = rows.line_num + source.n_skipped, rows.line_num + 1",
        "a row with line breaks is named by its last line",
    ),
    Files(
        "data/files/text.py",
        "                strings_can_be_null=False,\n",
        "                strings_can_be_null=True,\n",
        "an object called NA has no id",
    ),
    Cells(
        "data/files/dialect.py",
        "        skipped, spaced = source.n_skipped + n, mark",
        "        skipped, spaced = n, mark",
        "lines above a title are not skipped",
    ),
    Fault(
        "data/files/oddities.py",
        'label.strip(" :.").casefold() not in',
        "label.casefold() not in",
        "a row called Sum: is an object",
        room="data/files/test_titles.py",
    ),
    Fault(
        "data/files/oddities.py",
        "return int((column == column[row]).sum()) > 1",
        "return False",
        "a row of an object is taken for a total",
        room="data/files/test_titles.py",
    ),
    Fault(
        "data/files/dialect.py",
        "    if widths.count(width) < 2 or not is_title:\n",
        "    if widths.count(width) < 2:\n",
        "names without that of an index are a title",
        room="data/files/test_titles.py",
    ),
    Fault(
        "data/files/binary.py",
        "max(chunk.total_uncompressed_size, chunk.num_values * NUMBER_BYTES)",
        "chunk.total_uncompressed_size",
        "a value that repeats in a column takes no memory",
        room="data/files/test_sizes.py",
    ),
    # what the uncertainty means, repeats ----------------------------------------------
    Fault(
        "data/meaning.py",
        'return data.meaning == "error" and inexact',
        'return data.meaning == "error"',
        "exact values are measurements that missed the truth",
        room="data/test_meaning.py",
    ),
    Fault(
        "data/meaning.py",
        "    return data.exact or not data.variance().any()\n",
        "    return data.exact\n",
        "errors of 0 leave something open",
        room="data/test_meaning.py",
    ),
    Fault(
        "data/reliability.py",
        "np.abs(variances - before) <= SAME * before",
        "np.abs(variances - before) <= 0.3 * before",
        "the spread of the truth is what the first rounds say",
        room="data/test_reliability.py",
    ),
    Fault(
        "data/reliability.py",
        "    if not matters.any():\n        matters[:] = True\n",
        "",
        "where no feature is reliable objects are nothing",
        room="data/test_reliability.py",
    ),
    Fault(
        "data/reliability.py",
        "    return Spread(means, np.maximum(excess, least * observed))\n",
        "    return Spread(means, np.maximum(excess, 0.0))\n",
        "nothing is left of the variance where errors are too large",
        room="data/test_reliability.py",
    ),
    Fault(
        "data/replicates.py",
        "    errors = variances / summary.counts\n",
        "    errors = variances\n",
        "a mean is as uncertain as a single value",
        room="data/test_replicates.py",
    ),
    Fault(
        "data/replicates.py",
        "    kept = freedom / (freedom + d)\n",
        "    kept = 1.0\n",
        "correlations of few repeats are taken as they are",
        room="data/test_replicates.py",
    ),
    Fault(
        "data/pooling.py",
        "    logs -= digamma(known / 2) - np.log(known / 2)\n",
        "",
        "logarithms of sample variances are not biased",
        room="data/test_pooling.py",
    ),
    Fault(
        "data/pooling.py",
        "products -= rho**2 * ((weights * by_chance).T @ weights)",
        "products -= rho * ((weights * by_chance).T @ weights)",
        "sample variances are as correlated as the values",
        room="data/test_pooling.py",
    ),
)
