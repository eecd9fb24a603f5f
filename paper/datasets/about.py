"""Names of the columns and classes of the fetched sets, and their citations."""

from typing import NamedTuple


class About(NamedTuple):
    """Names and origin of a data set."""

    feature_names: tuple[str, ...]
    target_names: tuple[str, ...]
    description: str


_UCI = "UCI Machine Learning Repository, https://archive.ics.uci.edu"
_CC = "License: CC BY 4.0."

ABOUT = {
    "ecoli": About(
        ("mcg", "gvh", "lip", "chg", "aac", "alm1", "alm2"),
        ("cp", "im", "pp", "imU", "om"),
        "Ecoli without the classes imL, imS and omL: scores of 327 proteins and where "
        f"they sit in the cell. {_UCI}/dataset/39 (PMLB: ecoli). {_CC} Cite: P. Horton "
        "and K. Nakai, A probabilistic classification system for predicting the "
        "cellular localization sites of proteins, ISMB 1996.",
    ),
    "image": About(
        (
            "region-centroid-col",
            "region-centroid-row",
            "region-pixel-count",
            "short-line-density-5",
            "short-line-density-2",
            "vedge-mean",
            "vedge-sd",
            "hedge-mean",
            "hedge-sd",
            "intensity-mean",
            "rawred-mean",
            "rawblue-mean",
            "rawgreen-mean",
            "exred-mean",
            "exblue-mean",
            "exgreen-mean",
            "value-mean",
            "saturation-mean",
            "hue-mean",
        ),
        ("brickface", "sky", "foliage", "cement", "window", "path", "grass"),
        "Image Segmentation: 2310 patches of 3 x 3 pixels of seven outdoor images. "
        f"{_UCI}/dataset/50 (PMLB: segmentation). {_CC} Cite: Image Segmentation, "
        "Vision Group, University of Massachusetts, 1990, doi 10.24432/C5GP4N.",
    ),
    "libras": About(
        tuple(f"{axis}{frame}" for frame in range(1, 46) for axis in "xy"),
        (
            "curved swing",
            "horizontal swing",
            "vertical swing",
            "anti-clockwise arc",
            "clockwise arc",
            "circle",
            "horizontal straight line",
            "vertical straight line",
            "horizontal zigzag",
            "vertical zigzag",
            "horizontal wavy",
            "vertical wavy",
            "face-up curve",
            "face-down curve",
            "tremble",
        ),
        "Libras Movement: the position of the hand in 45 frames of 360 signs of the "
        f"Brazilian sign language. {_UCI}/dataset/181 (PMLB: movement_libras). {_CC} "
        "Cite: D. B. Dias, R. C. B. Madeo et al., Hand movement recognition for "
        "Brazilian sign language, IJCNN 2009.",
    ),
    "usps": About(
        tuple(f"pixel{i}" for i in range(256)),
        tuple("0123456789"),
        "USPS handwritten digits, 16 x 16 grays in [0, 1], row by row. OpenML 41082. "
        "No license is stated; the set is redistributed freely for research. Cite: "
        "J. J. Hull, A database for handwritten text recognition research, IEEE "
        "PAMI 16(5), 1994.",
    ),
    "waveform": About(
        tuple(f"t{i}" for i in range(1, 22)),
        ("waves 2 and 3", "waves 1 and 3", "waves 1 and 2"),
        "Waveform Database Generator, version 1: 5000 noisy mixtures of two of three "
        f"waves. {_UCI}/dataset/107 (PMLB: waveform_21). {_CC} Cite: L. Breiman, J. H. "
        "Friedman, R. A. Olshen and C. J. Stone, Classification and Regression "
        "Trees, Wadsworth, 1984, pp. 49-55.",
    ),
    "movement": About(
        ("anchor1", "anchor2", "anchor3", "anchor4"),
        tuple(f"path {i}" for i in range(1, 7)),
        "Indoor User Movement Prediction from RSS Data: signal strengths at four "
        f"anchors while a person walks one of six paths. {_UCI}/dataset/348. {_CC} "
        "Cite: D. Bacciu, P. Barsocchi, S. Chessa, C. Gallicchio and A. Micheli, An "
        "experimental characterization of reservoir computing in ambient assisted "
        "living applications, Neural Computing and Applications 24, 2014.",
    ),
    "nba": About(
        ("points", "rebounds", "assists", "steals", "blocks"),
        ("role", "key", "star"),
        "NBA players: per-game averages of the seasons through 2015-16 of the 300 top "
        "scorers of 2014-15; classes from the career player efficiency rating (20 and "
        "15 divide them). Compiled by Basketball-Reference, whose terms restrict bulk "
        "reuse.",
    ),
    "kepler": About(
        (
            "log_duration",
            "log_depth",
            "log_planet_radius",
            "log_star_radius",
            "star_temperature",
            "star_log_g",
        ),
        ("false positive", "confirmed"),
        "Kepler objects of interest with their published errors: log10 of transit "
        "duration (h), depth (ppm), planet radius (Earth radii) and star radius (solar "
        "radii); the star's temperature (1000 K) and log g. NASA Exoplanet Archive, "
        "table cumulative; US government data. Cite: doi 10.26133/NEA4.",
    ),
}
