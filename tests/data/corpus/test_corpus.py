"""Tables as people write them: each file of this folder, and how it must be read.

A case is a file, what is said about it, and the reading: the values of each object, or
values with errors, or the message of a refusal. A warning may come with a reading.
"""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import incerta as ic
from incerta.cli.app import app
from incerta.exceptions import DataError, FileError, IncertaWarning
from tests.runner import Runner

FILES = Path(__file__).parent / "files"
NAN = float("nan")

PLAIN = {"a": [1.5, 10], "b": [2.5, 20], "c": [3.5, 30]}
LARGE = {"a": [1234.5, 1000], "b": [2234.5, 2000], "c": [3234.5, 3000]}
WITH_ERRORS = {
    "a": [(1.5, 0.1), (10, 0)],
    "b": [(2.5, 0.2), (20, 0)],
    "c": [(3.5, 0.3), (30, 0)],
}
GERMAN = {"ä": [1.5, 10], "ö": [2.5, 20], "ü": [3.5, 30]}
GREEK = {"ά": [1.5, 10], "β": [2.5, 20], "γ": [3.5, 30]}
NOT_UTF8 = "is not UTF-8 and was read as cp1252"
BELOW = 1 / np.sqrt(12)  # standard deviation of values below a limit of 1
BELOW_HALF = {
    "a": [(1.5, 0), (10, 0)],
    "b": [(0.25, BELOW / 2), (20, 0)],
    "c": [(3.5, 0), (30, 0)],
}
BELOW_OR_ERRORS = {
    "a": [(1.5, 0.1), (10, 1)],
    "b": [(0.25, BELOW / 2), (20, 1)],
    "c": [(3.5, 0.3), (15, 30 * BELOW)],
}
G = {"values": ["größe", "g"]}
NO_NUMBER = "column 'h' must hold numbers; line {}: '{}'. "
PLAINLY = "Write a plain number, or leave the cell empty."


def no_number(line, cell, way_out=PLAINLY):
    return NO_NUMBER.format(line, cell) + way_out


CASES = [
    # separators and lines
    ("plain.csv", {}, PLAIN, None),
    ("semicolons.csv", {}, PLAIN, None),
    ("semicolons.csv", {"sep": ";"}, PLAIN, None),
    ("semicolons.csv", {"sep": ","}, "There are: 'id;h;g'. The first line must", None),
    ("semicolons.csv", {"sep": "ab"}, "sep='ab' must be a single character", None),
    ("semicolons.csv.gz", {}, PLAIN, None),
    ("tabs.csv", {}, PLAIN, None),
    ("tabs.csv", {"sep": "tab"}, PLAIN, None),
    ("tabs.tsv", {}, PLAIN, None),
    ("pipes.csv", {}, PLAIN, None),
    ("commas.tsv", {}, PLAIN, None),
    ("excel_says_sep.csv", {}, PLAIN, None),
    ("blank_lines_above.csv", {}, PLAIN, None),
    ("blank_lines_between.csv", {}, PLAIN, None),
    ("spaces.csv", {}, PLAIN, "columns were taken to be separated by spaces"),
    ("fixed_width.txt", {}, PLAIN, "columns were taken to be separated by spaces"),
    ("fixed_width.txt", {"sep": " "}, PLAIN, None),
    ("fixed_width_gap.txt", {}, "line 3: 2 columns; the header has 3", None),
    ("fixed_width_title.txt", {}, PLAIN, "found in line 3, and columns were taken to"),
    ("titles_above.csv", {}, PLAIN, "names of the columns were found in line 4"),
    ("titles_above.csv", {"sep": ";"}, PLAIN, "columns were found in line 4"),
    ("fixed_width.txt", {"id": None, "values": "3.5"}, "no column '3.5'", None),
    ("other_names.csv", {"values": "30"}, "there is no column '30'", None),
    ("spaces.csv", {"sep": " "}, PLAIN, None),
    ("colons.csv", {}, "separated by something else than ',', pass sep=.", None),
    ("colons.csv", {"sep": ":"}, PLAIN, None),
    ("quoted.csv", {}, PLAIN, None),
    ("commas_in_text.csv", {}, PLAIN, None),
    ("comma_in_header.csv", {}, PLAIN, None),
    (
        "single_column.csv",
        {"id": None, "values": "h"},
        {0: [1.5], 1: [2.5], 2: [3.5]},
        None,
    ),
    ("ragged.csv", {}, "line 3: 4 columns; the header has 3", None),
    (
        "unquoted_decimal_commas.csv",
        {},
        "A cell with ',' in it must be in quotes",
        None,
    ),
    ("old_mac_lines.csv", {}, PLAIN, None),
    ("windows_lines.csv", {}, PLAIN, None),
    # decimal marks and thousands
    ("decimal_commas.csv", {}, PLAIN, None),
    ("decimal_commas.csv", {"decimal": ","}, PLAIN, None),
    ("decimal_commas.csv", {"decimal": "."}, no_number("2, object a", "1,5"), None),
    ("decimal_commas.csv", {"decimal": "x"}, "decimal='x' must be '.' or ','", None),
    ("decimal_commas_tabs.tsv", {}, PLAIN, None),
    ("decimal_commas_quoted.csv", {}, PLAIN, None),
    ("thousands_dots.csv", {}, LARGE, None),
    ("thousands_commas.csv", {}, LARGE, None),
    ("thousands_spaces.csv", {}, LARGE, None),
    ("thousands_apostrophes.csv", {}, LARGE, None),
    (
        "thousands_twice.csv",
        {},
        {"a": [1234567, 1000], "b": [2234567, 2000], "c": [3234567, 3000]},
        None,
    ),
    ("thousands_in_doubt.csv", {}, "Pass decimal=',' for 1.234, or decimal='.'", None),
    (
        "thousands_in_doubt.csv",
        {"decimal": ","},
        {"a": [1.234, 10], "b": [2.345, 20], "c": [3.456, 30]},
        None,
    ),
    (
        "thousands_in_doubt.csv",
        {"decimal": "."},
        {"a": [1234, 10], "b": [2345, 20], "c": [3456, 30]},
        None,
    ),
    (
        "thousands_in_doubt_quoted.csv",
        {},
        {"a": [1234, 10], "b": [2345, 20], "c": [3456, 30]},
        "taken for thousands separators: '1,234' is 1234",
    ),
    ("dots_in_doubt.csv", {}, "Pass decimal='.' for 1.234, or decimal=','", None),
    (
        "dots_in_doubt.csv",
        {"decimal": "."},
        {"a": [1.234, 10], "b": [2.345, 20], "c": [3.456, 30]},
        None,
    ),
    (
        "dots_in_doubt.csv",
        {"values": ["h", "price"]},
        {"a": [1234, 0.5], "b": [2345, 0.75], "c": [3456, 1.5]},
        None,
    ),
    (
        "dots_of_three_digits.csv",
        {},
        {"a": [1.234, 10], "b": [2.345, 20], "c": [3.456, 30]},
        None,
    ),
    (
        "decided_by_another_column.csv",
        {},
        {"a": [1234, 10.5], "b": [2345, 20.5], "c": [3456, 30.5]},
        None,
    ),
    ("two_decimal_marks.csv", {}, "the decimal mark is not clear: '10.5' in", None),
    ("wrong_groups.csv", {}, no_number("2, object a", "1,23,456.5"), None),
    (
        "unicode_minus.csv",
        {},
        {"a": [-1.5, 10], "b": [-2.5, 20], "c": [-3.5, 30]},
        None,
    ),
    ("exponents.csv", {}, PLAIN, None),
    # encodings
    ("cp1252.csv", G, GERMAN, NOT_UTF8),
    ("cp1252.csv", {**G, "encoding": "latin-1"}, GERMAN, None),
    ("cp1252.csv", {**G, "encoding": "utf-8"}, "cannot be read as utf-8", None),
    ("cp1252.csv", {**G, "encoding": "klingon"}, "encoding='klingon' is unknown", None),
    ("utf16.csv", G, GERMAN, None),
    ("unicode_text_of_excel.txt", G, GERMAN, None),
    ("utf8_mark.csv", G, GERMAN, None),
    ("utf16_without_mark.csv", {}, "pass encoding='utf-16-le'", None),
    ("utf16_without_mark.csv", {"encoding": "utf-16-le"}, PLAIN, None),
    ("greek.csv", {"encoding": "iso8859-7"}, GREEK, None),
    ("no_text.csv", {}, "cannot be read as cp1252: .* Pass its encoding=", None),
    # missing values
    ("missing_words.csv", {}, "missing values: 6 in 'h', 2 in 'g'", None),
    ("missing_own_words.csv", {}, "line 3, object b: 'lost'. .*pass na='lost'", None),
    (
        "missing_own_words.csv",
        {"na": ["lost", "kaputt"], "missing": "infinite"},
        {"a": [1.5, 10], "b": [NAN, 20], "c": [3.5, NAN]},
        None,
    ),
    (
        "missing_number.csv",
        {"values": "h"},
        {"a": [1.5], "b": [-999], "c": [3.5], "d": [-999], "e": [2.5]},
        "-999 occurs 2 times in column 'h', .* pass na='-999'",
    ),
    (
        "missing_number.csv",
        {"values": "h", "na": -999, "missing": "infinite"},
        {"a": [1.5], "b": [NAN], "c": [3.5], "d": [NAN], "e": [2.5]},
        None,
    ),
    (
        "sentinel_99.csv",
        {"values": "h"},
        {"a": [1.5], "b": [99.99], "c": [3.5], "d": [99.99]},
        "99.99 occurs 2 times in column 'h'",
    ),
    (
        "sentinel_99.csv",
        {"values": "h", "na": "99.99", "missing": "infinite"},
        {"a": [1.5], "b": [NAN], "c": [3.5], "d": [NAN]},
        None,
    ),
    (
        "no_sentinel.csv",
        {"values": "g"},
        {"a": [997], "b": [999], "c": [998], "d": [999]},
        None,
    ),
    # no numbers
    (
        "text_in_g.csv",
        {},
        "column 'g' must hold numbers; line 3, object b: 'much'",
        None,
    ),
    ("text_in_g.csv", {"id": None}, "column 'g' must hold .* line 3: 'much'", None),
    ("text_after_line_breaks.csv", {}, "'g' must .* line 5, object b: 'much'", None),
    ("a_long_story.csv", {}, "object a: '1 and more and .*…'. Write a plain", None),
    ("dates.csv", {}, no_number("2, object a", "2020-01-02"), None),
    ("times.csv", {}, no_number("2, object a", "12:30"), None),
    ("excel_errors.csv", {}, no_number("3, object b", "#DIV/0!"), None),
    ("underscores.csv", {}, no_number("2, object a", "1_5"), None),
    ("hexadecimal.csv", {}, no_number("2, object a", "0x1F"), None),
    ("truth_values.csv", {}, "line 2, object a: 'true'. .*pass na='true'", None),
    ("infinite.csv", {}, "column 'h', line 2, object a: inf is infinite", None),
    ("accounting.csv", {}, "line 2, object a: .* Write a plain number", None),
    ("empty_id.csv", {}, "id='id' is empty in line 3", None),
    (
        "title_above.csv",
        {},
        {"a": [1.5, 10], "b": [2.5, 20]},
        "title_above.csv: names of the columns were found in line 2",
    ),
    ("header_alone.csv", {}, "the table has no rows", None),
    ("nothing.csv", {}, "is empty", None),
    ("columns_twice.csv", {}, "has 2 columns named 'h'", None),
    ("other_names.csv", {}, "no column 'h'. There are: 'id', 'height', 'g'", None),
    # units
    ("units.csv", {}, PLAIN, "the unit 'cm' was removed .* column 'h'"),
    ("units_of_all_sorts.csv", {}, PLAIN, "the unit '€' was removed .* column 'g'"),
    ("mixed_units.csv", {}, "column 'h' mixes units: '1.5 cm' .* and '25 mm'", None),
    ("units_here_and_there.csv", {}, "mixes units: '1.5 cm' .* and '2.5'", None),
    (
        "units_of_errors.csv",
        {"errors": "{}_sd"},
        "column 'h_sd' has the unit 'mm', its values in 'h' have 'cm'",
        None,
    ),
    # errors in cells
    ("errors_in_cells.csv", {}, WITH_ERRORS, None),
    ("errors_in_parentheses.csv", {}, WITH_ERRORS, None),
    ("errors_with_units.csv", {}, WITH_ERRORS, "the unit 'cm' was removed"),
    ("errors_twice.csv", {"errors": "{}_sd"}, "errors= names its error column", None),
    (
        "errors_twice.csv",
        {"values": "g", "errors": "h", "id": None},
        "a column of errors, bounds or weights must hold plain",
        None,
    ),
    (
        "errors_in_some.csv",
        {},
        {
            "a": [(1.5, 0.1), (10, 0)],
            "b": [(2.5, 0.05**0.5), (20, 0)],
            "c": [(3.5, 0.3), (30, 0)],
        },
        "1 missing error of 1 object was replaced",
    ),
    ("errors_in_percent.csv", {}, no_number("2, object a", "1.5 ± 10 %"), None),
    ("errors_of_powers.csv", {}, "line 2, object a: '1.5e3.2.'. Write a plain", None),
    ("errors_of_repeated_objects.csv", {}, "a single row; a has several", None),
    ("errors_in_cells.csv", {"weight": "g", "values": "h"}, "weight='g' cannot", None),
    # replicates
    (
        "wide_replicates.csv",
        {"replicates": "{}_*"},
        {"a": [1.5, 10], "b": [2.5, 20], "c": [3.5, 30]},
        None,
    ),
    ("wide_replicates.csv", {"replicates": "{}.*"}, r"no column 'h\.\*'", None),
    (
        "wide_replicates.csv",
        {"replicates": "{}_*", "meaning": "spread"},
        "the same repeats of all values, .*: 'h' has 1, 2, 3; 'g' has a, b",
        None,
    ),
    (
        "wide_replicates_units.csv",
        {"replicates": "{}_*", "values": "h"},
        "'h_1' and 'h_2' are repeats of one value in different units: 'cm' and 'mm'",
        None,
    ),
    (
        "wide_replicates_units.csv",
        {"replicates": "{}_*", "values": "g"},
        "such as '1 ± 2'; columns of replicates=.* must hold numbers",
        None,
    ),
    # limits
    (
        "below_a_limit.csv",
        {},
        BELOW_HALF,
        "1 value below a limit L, such as '<0.5': 1 in 'h'. .* other values are exact",
    ),
    ("below_limits_decimal_commas.csv", {}, BELOW_HALF, "such as '<0,5': 1 in 'h'"),
    (
        "below_limits_of_all_sorts.csv",
        {},
        {
            "a": [(1.5, 0), (10, 0)],
            "b": [(0.25, BELOW / 2), (10, 20 * BELOW)],
            "c": [(0.35, 0.7 * BELOW), (30, 0)],
        },
        "3 values below a limit L, such as '< 0.5 mg': 2 in 'h', 1 in 'g'",
    ),
    (
        "below_limits_and_errors.csv",
        {},
        {
            "a": [(1.5, 0.1), (10, 0)],
            "b": [(0.25, BELOW / 2), (20, 0)],
            "c": [(3.5, 0.3), (30, 0)],
        },
        "1 in 'h'. .* other values keep their errors",
    ),
    (
        "below_limits_error_columns.csv",
        {"errors": "{}_sd"},
        BELOW_OR_ERRORS,
        "1 in 'h', 1 in 'g'. .* other values keep their errors",
    ),
    (
        "below_limits_with_an_error.csv",
        {"errors": "{}_sd"},
        "line 3, object b has an error besides its limit",
        None,
    ),
    (
        "below_limits_and_negative.csv",
        {},
        "also values below 0 .line 4, object c: -3.5.* columns of bounds with kind=",
        None,
    ),
    ("below_limits_in_words.csv", {}, "Write the limit, .* pass na='<LOD'", None),
    ("below_zero.csv", {}, "line 3, object b: a limit must be above 0", None),
    ("below_limits_of_repeated_objects.csv", {}, "single row; a has several", None),
    (
        "below_limits_in_bounds.csv",
        {"kind": "interval", "errors": ("{}_low", "{}_high")},
        "errors, bounds or weights must hold plain numbers",
        None,
    ),
    (
        "below_limits_in_bounds.csv",
        {"kind": "ci95", "values": "h", "errors": ("g_low", "h_high")},
        "'<2', which cannot be used with kind='ci95'. Leave the cell empty",
        None,
    ),
    ("above_a_limit.csv", {}, "'>100'. The value has no upper bound", None),
    # comments
    ("comments_above.csv", {}, PLAIN, None),
    ("comments_above_tabs.tsv", {}, PLAIN, None),
    ("comment_is_header.csv", {"id": "#id"}, PLAIN, None),
    ("comments_alone.csv", {}, "there is no column", None),
    # errors in columns of their own, with a sign
    (
        "plusminus_cells.csv",
        {"values": "h", "errors": "margin"},
        {"a": [(1.5, 0.1)], "b": [(2.5, 0.2)], "c": [(3.5, 0.3)]},
        None,
    ),
    (
        "note_below.csv",
        {},
        "line 6: 1 column; the header has 3. If it is a note and no row, leave it out",
        None,
    ),
    (
        "units_below_the_names.csv",
        {},
        "'cm'. If it stands for .* If it is a unit, remove the line below the",
        None,
    ),
]

NASA = {
    "id": "kepoi_name",
    "errors": ["{}_err1", "{}_err2"],
    "kind": "plusminus",
    "values": ["koi_prad", "koi_steff"],
}
UP_DOWN = {"values": "h", "errors": ["{}_err1", "{}_err2"], "kind": "plusminus"}
GAIA = {"id": "source_id", "values": ["pmra", "pmdec"], "errors": "{}_error"}
SD = {"values": "h", "errors": "{}_sd"}
TWO_OF_ERRORS = {"a": [(1.5, 0.1)], "b": [(2.5, 0.2)]}
LOGS = {"a": [(1, 0.1 / np.log(10))], "b": [(3, 0.1 / np.log(10))]}


def split(value, above, below):
    """Mean and standard deviation of a split normal law."""
    off = above - below
    variance = (1 - 2 / np.pi) * off**2 + above * below
    return value + np.sqrt(2 / np.pi) * off, np.sqrt(variance)


# what error columns hold
CASES += [
    (
        "nasa_plusminus.csv",
        NASA,
        {
            "K00752.01": [split(2.26, 0.26, 0.15), (5455, 81)],
            "K00752.02": [split(2.83, 0.32, 0.19), (5455, 81)],
            "K00753.01": [split(14.6, 3.92, 1.31), split(5853, 158, 176)],
        },
        None,
    ),
    ("nasa_plusminus.csv", {**NASA, "kind": "sd"}, "kinds that take pairs are", None),
    (
        "nasa_plusminus.csv",
        {**NASA, "errors": "{}_err1"},
        "kind='plusminus' has two columns per value",
        None,
    ),
    (
        "nasa_gaps.csv",
        {**NASA, "values": "koi_prad"},
        {
            "K00752.01": [split(2.26, 0.26, 0.15)],
            "K00752.02": [split(2.83, 0.32, 0.19)],
            "K00753.01": [(NAN, np.inf)],
        },
        "1 value of 1 object is missing .* infinite error",
    ),
    ("plusminus_both_signs.csv", UP_DOWN, "'h_err2', line 3, object b: 0.1 has", None),
    ("plusminus_swapped.csv", UP_DOWN, "'h_err1', line 2, object a: -0.2 is neg", None),
    (
        "plusminus_semicolons.csv",
        UP_DOWN,
        {"a": [(1.5, 0.1)], "b": [(2.5, 0.2)], "c": [(3.5, 0.3)]},
        None,
    ),
    (
        "gaia_correlations.csv",
        {**GAIA, "corr": "{}_{}_corr"},
        {
            4295806720: [(11.942, 0.031), (-12.512, 0.027)],
            34361129088: [(3.104, 0.165), (-16.335, 0.141)],
            38655544960: [(18.191, 0.022), (-7.553, 0.018)],
        },
        None,
    ),
    ("gaia_correlations.csv", {**GAIA, "corr": "{}_{}_c"}, "fits no pair of", None),
    (
        "correlation_above_one.csv",
        {"errors": "{}_sd", "corr": "{}_{}_corr"},
        "'g_h_corr', line 3, object b: 1.2 is not a correlation",
        None,
    ),
    (
        "correlations_contradict.csv",
        {"values": ["h", "g", "f"], "errors": "{}_sd", "corr": "{}_{}_corr"},
        "line 3, object b: the correlations contradict",
        None,
    ),
    (
        "relative_errors.csv",
        {"values": "h", "errors": "{}_rel", "kind": "rel%"},
        {"a": [(1.5, 0.15)], "b": [(-2.5, 0.5)], "c": [(3.5, 0)]},
        None,
    ),
    (
        "relative_errors_with_signs.csv",
        {"values": "h", "errors": "{}_rel", "kind": "rel%"},
        {"a": [(1.5, 0.15)], "b": [(2.5, 0.5)]},
        "the unit '%' was removed",
    ),
    (
        "relative_errors_with_signs.csv",
        {"values": "h", "errors": "{}_rel"},
        "column 'h_rel' has the unit '%', its values in 'h' have 'cm'",
        None,
    ),
    *(
        ("margins_and_intervals.csv", {"values": "h", **said}, TWO_OF_ERRORS, None)
        for said in (
            {"errors": "{}_moe", "kind": "moe95"},
            {"errors": "{}_3s", "kind": "3sigma"},
            {"errors": ["{}_lo", "{}_hi"], "kind": "ci68"},
        )
    ),
    # logarithms
    ("orders_of_magnitude.csv", {**SD, "log": "h"}, LOGS, None),
    ("orders_of_magnitude.csv", {**SD, "log": "all"}, LOGS, None),
    (
        "orders_of_magnitude.csv",
        {"values": "h", "errors": ["{}_lo", "{}_hi"], "kind": "interval", "log": "h"},
        {"a": [(1, 1 / 3**0.5)], "b": [(3, 1 / 3**0.5)]},
        None,
    ),
    (
        "orders_of_magnitude.csv",
        {**UP_DOWN, "log": "h"},
        {"a": [(1, 1)], "b": [(3, 1)]},
        None,
    ),
    (
        "orders_of_magnitude.csv",
        {**SD, "log": "g"},
        "log: .* no value column 'g'",
        None,
    ),
    ("zero_to_be_logged.csv", {**SD, "log": "h"}, "line 3, object b: 0.0 has no", None),
    (
        "long_to_be_logged.csv",
        {"values": "h", "log": "h"},
        {"a": [(2, 1)], "b": [(2, 0)]},
        None,
    ),
    # missing values beside errors
    (
        "gaps_with_errors.csv",
        {"errors": "{}_sd"},
        {
            "a": [(1.5, 0.1), (10, 1)],
            "b": [(NAN, np.inf), (20, 1)],
            "c": [(3.5, 0.1), (30, 1)],
            "d": [(4.5, 0.1), (40, 1)],
        },
        "1 value of 1 object is missing .1 in 'h'; the first object is b.",
    ),
    (
        "gaps_with_errors.csv",
        {"errors": "{}_sd", "missing": "drop"},
        {"a": [(1.5, 0.1), (10, 1)], "d": [(4.5, 0.1), (40, 1)]},
        "2 of 4 objects have missing values and were left out, the first is object b",
    ),
    (
        "gaps_with_errors.csv",
        {"errors": "{}_sd", "missing": "error"},
        "1 in 'h', 1 in 'h_sd'; the first object is b.* missing='drop'",
        None,
    ),
    ("gaps_with_errors.csv", {"missing": "keep"}, "missing='keep' must be one", None),
]
NAMES = [f"{file}-{said}" if said else file for file, said, _, _ in CASES]


@pytest.mark.parametrize(("file", "said", "expected", "warning"), CASES, ids=NAMES)
def test_read(file, said, expected, warning):
    check(file, said, expected, warning)


@pytest.mark.usefixtures("no_pyarrow")
def test_the_standard_library_agrees():
    for case in CASES:
        check(*case)


def check(file, said, expected, warning):
    said = {"id": "id", "values": ["h", "g"], **said}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if isinstance(expected, str):
            with pytest.raises((DataError, FileError), match=expected):
                ic.read_table(FILES / file, **said)
            return
        data = ic.read_table(FILES / file, **said)
    told = [str(one.message) for one in caught if one.category is IncertaWarning]
    assert len(told) == len(caught)
    if warning:
        assert any(re.search(warning, text) for text in told), told
    else:
        assert not told
    assert data.ids.tolist() == list(expected)
    cells = np.array(list(expected.values()), dtype=np.float64)
    if cells.ndim == 2:
        np.testing.assert_allclose(data.mean(), cells, rtol=1e-15)
        return
    np.testing.assert_allclose(data.mean(), cells[..., 0], rtol=1e-13)
    np.testing.assert_allclose(np.sqrt(data.variance()), cells[..., 1], rtol=1e-6)


def test_every_file_has_a_case():
    assert {path.name for path in FILES.iterdir()} == {file for file, *_ in CASES}


def as_arguments(said):
    """Options that say the same."""
    said = {"id": "id", "values": ["h", "g"], **said}
    for name, value in said.items():
        if value is not None:
            words = [value] if isinstance(value, (str, int)) else value
            yield f"--{name}={','.join(map(str, words))}"


# Those about options, and some about messages: a command takes longer than to read.
OF_THE_COMMAND_LINE = [case for i, case in enumerate(CASES) if case[1] or i % 3 == 0]


@pytest.mark.parametrize(("file", "said", "expected", "warning"), OF_THE_COMMAND_LINE)
def test_command_line(file, said, expected, warning):
    arguments = ["info", str(FILES / file), *as_arguments(said)]
    done = Runner().invoke(app, arguments)
    if not isinstance(expected, str):
        assert done.exit_code == 0, done.output
        assert done.stderr.startswith("Warning: ") == bool(warning)
    elif done.exit_code != 2:  # what typer itself refuses
        assert done.exit_code == 1, done.output
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
    for word in ("from_frame", "Traceback", "pass na=", "decimal=", "unexpected"):
        assert word not in done.stdout + done.stderr


def test_names_of_columns():
    files = {file: f"{file}: " for file, *_ in CASES[::8] if file != "ragged.csv"}
    files |= {f"{name}.csv": "Error: " for name in ("nothing", "utf16_without_mark")}
    for file, told in files.items():
        done = Runner().invoke(app, ["info", str(FILES / file)])
        assert done.exit_code == (told == "Error: "), done.output
        assert (done.stdout or done.stderr).startswith(told)
    done = Runner().invoke(app, ["info", str(FILES / "utf16.csv")])
    assert [line.split()[0] for line in done.stdout.splitlines()[3:6]] == [
        *("id", "größe", "g")
    ]


def test_fit_says_how_the_file_is_written(tmp_path):
    file = FILES / "thousands_in_doubt.csv"
    said = ["--id", "id", "--values", "h,g", "--decimal", ",", "--na=-999,lost"]
    out = tmp_path / "out"
    arguments = ["fit", str(file), *said, "-k", "2", "--method", "UKMeans"]
    done = Runner().invoke(app, [*arguments, "-o", str(out), "-q"])
    assert done.exit_code == 0, done.output
    command = ic.load(out / "model.incerta").command
    assert "--decimal , --na=-999,lost" in command
    # Another file is written in its own way, but marks of missing values stay.
    model = str(out / "model.incerta")
    for other, code in (("plain.csv", 0), ("missing_own_words.csv", 1)):
        done = Runner().invoke(app, ["predict", model, str(FILES / other)])
        assert done.exit_code == code, done.output
