"""What names of columns say about them."""

from __future__ import annotations

import re

from incerta.data.guess.described import Described


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ID_WORDS = _set(
    "id ids identifier key name names object obj star galaxy source station sample "
    "subject patient participant person player plant animal specimen county country "
    "city municipality tract site plot gene protein cell item document doc fips geoid "
    "kepid oid uid uuid designation code well stock ticker planet model machine sensor "
    "device probe meter gauge buoy turbine pump vehicle logger mouse rat donor user "
    "customer client school hospital district village neuron electrode"
)
ROW_WORDS = _set("row rowid rownum index idx nr no unnamed")
CLASS_WORDS = _set(
    "class classes label labels type types species genus family cluster group category "
    "target truth disposition diagnosis subtype cultivar region kind"
)
# Draws of all objects at once, by their nature.
JOINT_WORDS = _set("member draw realization realisation imputation imp ensemble")
# Repeated measurements, or runs of something for all objects at once.
INDEX_WORDS = _set(
    "replicate rep repeat repetition run trial measurement iteration sample chain"
)
TIME_WORDS = _set(
    "year month day date time hour minute week season quarter timestamp epoch step "
    "timestep jd mjd bjd yr"
)
BATCH_WORDS = _set("batch plate night")
WEIGHT_WORDS = _set("weight weights w prob probability")
# What was measured: such tables have a row for each object and each of these.
FEATURE_WORDS = _set(
    "variable parameter analyte indicator measure measurand feature metric quantity "
    "attribute property assay marker target compound isotope band filter"
)
COORDINATE_WORDS = _set(
    "ra dec lon lat long longitude latitude easting northing glon glat"
)
# Rows that sum up those above them.
TOTAL_WORDS = _set("total totals sum average overall all gesamt insgesamt summe totale")
MOST_CLASSES = 50
ONE_OF = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")


def words_of(name: str) -> list[str]:
    """Words in a name, in lower case.

    Examples
    --------
    >>> from incerta.data.guess.namewords import words_of
    >>> words_of("source_id"), words_of("sampleID"), words_of("x0")
    (['source', 'id'], ['sample', 'id'], ['x'])
    """
    return [word.lower() for word in ONE_OF.findall(name)]


def says(column: Described, known: frozenset[str]) -> bool:
    """Tell whether the first or the last word of a name is one of these."""
    words = words_of(column.name)
    return bool(words) and (words[0] in known or words[-1] in known)


def is_row_number(column: Described) -> bool:
    """Tell whether a column only counts the rows."""
    return column.name.strip() == "" or says(column, ROW_WORDS)


def is_id_like(column: Described) -> bool:
    """Tell whether a name is that of objects."""
    return column.names_rows and (says(column, ID_WORDS) or is_row_number(column))


def is_class_like(column: Described, n_rows: int) -> bool:
    """Tell whether a column holds classes: by its name, or as it has few words."""
    most = min(MOST_CLASSES, n_rows // 2)
    if column.n_distinct > most or not column.n_distinct:
        return False
    if says(column, CLASS_WORDS):
        return column.kind in ("whole", "text")
    named = says(
        column, ID_WORDS | JOINT_WORDS | INDEX_WORDS | TIME_WORDS | BATCH_WORDS
    )
    return column.kind == "text" and not named and column.n_distinct > 1


def is_coordinate(column: Described) -> bool:
    """Tell whether a column is a place on a sphere or a map."""
    words = words_of(column.name)
    return len(words) == 1 and words[0] in COORDINATE_WORDS


def is_time(column: Described) -> bool:
    """Tell whether a column is a time."""
    return column.kind == "date" or (
        says(column, TIME_WORDS) and column.kind in ("whole", "text", "number")
    )
