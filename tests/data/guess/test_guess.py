"""Which column is what, by names, types and cells."""

import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.data.guess.described import (
    Described,
    numbered,
    of_numbers,
    of_words,
    wants_logarithm,
)
from incerta.data.guess.guess import SHARES, guess, remarks_on, roles_in
from incerta.data.tables.names import error_names

N = 24


def text(name, words):
    found, codes = np.unique(np.array(words), return_inverse=True)
    return of_words(name, found, codes)


def column(name, cells):
    if isinstance(cells[0], str):
        return text(name, cells)
    return of_numbers(name, np.asarray(cells, dtype=float))


def measured_columns(names):
    """Numbers as such names promise: errors small, bounds around their values."""
    rng = np.random.default_rng(0)
    base = {name: rng.normal(10, 3, N) for name in names}
    found = []
    for name in names:
        cells = np.abs(base[name])
        if name.endswith("corr"):
            cells = np.tanh(rng.normal(size=N))
        low = any(mark in name.lower() for mark in ("low", "min", "_lo", "16", "025"))
        high = any(mark in name.lower() for mark in ("upper", "high", "max", "_hi"))
        cells = cells - 20 * low + 20 * high
        if "err2" in name or "minus" in name:
            cells = -cells
        found.append(of_numbers(name, cells))
    return found


def wide(*names):
    return [text("star", [f"s{i}" for i in range(N)]), *measured_columns(names)]


def short(reading):
    said = reading.said()
    assert said.pop("id", None) in (None, "star")
    return {
        name: ",".join(given) if isinstance(given, tuple) else given
        for name, given in said.items()
    }


BY_NAMES = [
    # one column of errors for each value
    (["mass", "mass_err"], {"values": "mass", "errors": "{}_err"}),
    (["mass", "mass_error"], {"values": "mass", "errors": "{}_error"}),
    (["mass", "e_mass"], {"values": "mass", "errors": "e_{}"}),
    (["mass", "err_mass"], {"values": "mass", "errors": "err_{}"}),
    (["mass", "sigma_mass"], {"values": "mass", "errors": "sigma_{}"}),
    (["mass", "mass_sd"], {"values": "mass", "errors": "{}_sd"}),
    (["mass", "mass_se"], {"values": "mass", "errors": "{}_se"}),
    (["mass", "mass_unc"], {"values": "mass", "errors": "{}_unc"}),
    (["mass", "mass_std"], {"values": "mass", "errors": "{}_std"}),
    (["mass", "mass.std"], {"values": "mass", "errors": "{}.std"}),
    (["mass", "massErr"], {"values": "mass", "errors": "{}Err"}),
    (["mass", "mass_var"], {"values": "mass", "errors": "{}_var", "kind": "var"}),
    (["a (cm)", "a (cm) SD"], {"values": "a (cm)", "errors": "{} SD"}),
    (["a", "a_sd", "b", "b_sd"], {"values": "a,b", "errors": "{}_sd"}),
    (["a", "a_sd", "b", "e_b"], {"values": "a,b", "errors": "a_sd,e_b"}),
    (["Mass", "mass_err"], {"values": "Mass", "errors": "mass_err"}),
    (["h_mean", "h_sd"], {"values": "h_mean", "errors": "h_sd"}),
    (["x0", "x1", "s0", "s1"], {"values": "x0,x1", "errors": "s0,s1"}),
    (["mass", "mass_std_err"], {"values": "mass", "errors": "{}_std_err"}),
    (["mass", "mass standard error"], {"errors": "{} standard error"}),
    (["mass", "std_dev_mass"], {"values": "mass", "errors": "std_dev_{}"}),
    (["m_std", "m_std_err"], {"values": "m_std", "errors": "{}_err"}),
    (["m", "m_s.d."], {"values": "m", "errors": "{}_s.d."}),
    (["Masse", "Masse Fehler"], {"values": "Masse", "errors": "{} Fehler"}),
    (["masse", "masse_écart-type"], {"errors": "{}_écart-type"}),
    (["mean_m", "sd_m"], {"values": "mean_m", "errors": "sd_m"}),
    (["mean radius", "radius error"], {"errors": "radius error"}),
    (
        ["mean radius", "radius error", "worst radius"],
        {"values": "mean radius,radius error,worst radius"},
    ),
    # signs and letters
    (["m", "m ±"], {"values": "m", "errors": "{} ±"}),
    (["m", "σm"], {"values": "m", "errors": "σ{}"}),
    (["m", "u(m)"], {"values": "m", "errors": "u({})"}),
    (["x", "dx", "y", "dy", "z"], {"values": "x,y", "errors": "d{}"}),
    (["x", "dx"], {"values": "x", "errors": "d{}"}),
    (["x", "dx", "z"], {"values": "x,dx,z"}),
    # anywhere
    (["flux", "fluxerr"], {"values": "flux", "errors": "{}err"}),
    (["flux", "sigflux"], {"values": "flux", "errors": "sig{}"}),
    (["w1mpro", "w1sigmpro"], {"values": "w1mpro", "errors": "w1sigmpro"}),
    (["psfMag_u", "psfMagErr_u"], {"values": "psfMag_u", "errors": "psfMagErr_u"}),
    (["flux_g", "flux_err_g"], {"values": "flux_g", "errors": "flux_err_g"}),
    (["f", "func"], {"values": "f,func"}),
    (["flux_g", "flux_ivar_g"], {"errors": "flux_ivar_g", "kind": "ivar"}),
    (["m_kg", "m_sd_kg"], {"values": "m_kg", "errors": "m_sd_kg"}),
    (["t_ka", "t_2s_ka"], {"values": "t_ka", "errors": "t_2s_ka", "kind": "moe95"}),
    (["d13C", "d13CSD"], {"values": "d13C", "errors": "{}SD"}),
    # alike at the beginning
    (["T_K", "T_err", "m_kg", "m_sd"], {"values": "T_K,m_kg", "errors": "T_err,m_sd"}),
    (["C14Age", "C14SD"], {"values": "C14Age", "errors": "C14SD"}),
    (["c14age", "c14std"], {"values": "c14age", "errors": "c14std"}),
    (["cu_pct", "cu_sd"], {"values": "cu_pct", "errors": "cu_sd"}),
    (["rent_eur", "rent_moe"], {"values": "rent_eur", "kind": "moe90"}),
    (["T_K", "T_F", "T_err"], {"values": "T_K,T_F,T_err"}),
    (["T_K", "T_err", "T_sd"], {"values": "T_K,T_err,T_sd"}),
    (["vib_max", "vib_std"], {"values": "vib_max,vib_std"}),
    (["balance", "base"], {"values": "balance,base"}),
    (["T_K", "Temp_err"], {"values": "T_K,Temp_err"}),
    (["total", "t_err"], {"values": "total,t_err"}),
    # of one value
    (["mean", "sd", "n"], {"values": "mean", "errors": "sd"}),
    (["mean", "sd", "skewness"], {"values": "mean,sd,skewness"}),
    (["estimate", "std.error", "statistic"], {"errors": "std.error"}),
    (["estimate", "moe"], {"errors": "moe", "kind": "moe90"}),
    (["value", "conf.low", "conf.high"], {"values": "value", "kind": "ci95"}),
    # units
    (["m (kg)", "m SD (kg)"], {"values": "m (kg)", "errors": "m SD (kg)"}),
    (["m [kg]", "m_err [kg]"], {"values": "m [kg]", "errors": "m_err [kg]"}),
    (["m [kg]", "m_err"], {"values": "m [kg]", "errors": "m_err"}),
    (["m", "m_err [kg]"], {"values": "m", "errors": "m_err [kg]"}),
    (["m [kg]", "e_m [kg]"], {"values": "m [kg]", "errors": "e_{}"}),
    (
        ["t [K]", "t [C]", "t SD [C]", "t SD [K]"],
        {"values": "t [C],t [K]", "errors": "t SD [C],t SD [K]"},
    ),
    (["m [kg]", "m_err [g]"], {"values": "m [kg],m_err [g]"}),
    (["m [kg]", "m_err (%)"], {"errors": "m_err (%)", "kind": "rel%"}),
    (["m (%)", "m_err (%)"], {"values": "m (%)", "errors": "m_err (%)"}),
    (["m", "m_sd (%)"], {"errors": "{}_sd (%)", "kind": "rel%"}),
    (["m", "m_err_pct"], {"errors": "{}_err_pct", "kind": "rel%"}),
    # margins
    (["rent", "rent_moe"], {"values": "rent", "errors": "{}_moe", "kind": "moe90"}),
    (["rent", "rent_moe90"], {"errors": "{}_moe90", "kind": "moe90"}),
    (
        ["DP03_0062E", "DP03_0062M"],
        {"values": "DP03_0062E", "errors": "DP03_0062M", "kind": "moe90"},
    ),
    (["rent", "rent_moe95"], {"errors": "{}_moe95", "kind": "moe95"}),
    (["rent", "MOE_95 rent"], {"errors": "MOE_95 {}", "kind": "moe95"}),
    (["rent", "rent margin of error"], {"kind": "moe90"}),
    (["rent", "rent Margin of Error (95 %)"], {"kind": "moe95"}),
    (
        ["B19013_001E", "B19013_001M"],
        {"values": "B19013_001E", "errors": "B19013_001M", "kind": "moe90"},
    ),
    (["r", "r 2σ"], {"values": "r", "errors": "{} 2σ", "kind": "moe95"}),
    (["r", "r_2s"], {"errors": "{}_2s", "kind": "moe95"}),
    (["r", "r (2 sigma)"], {"values": "r", "kind": "moe95"}),
    (["rent", "rent (MOE)"], {"values": "rent", "kind": "moe90"}),
    (["A!!Estimate", "A!!Margin of Error"], {"values": "A!!Estimate", "kind": "moe90"}),
    (["r", "r 1σ"], {"values": "r", "errors": "{} 1σ"}),
    (["r", "2SE r"], {"errors": "2SE {}", "kind": "moe95"}),
    (["r", "r2s"], {"values": "r,r2s"}),
    (
        ["incomeE", "incomeM", "rentE", "rentM"],
        {"values": "incomeE,rentE", "errors": "incomeM,rentM", "kind": "moe90"},
    ),
    (["scoreE", "scoreM"], {"values": "scoreE,scoreM"}),
    (["aE", "aM", "bE", "bM", "cM"], {"values": "aE,aM,bE,bM,cM"}),
    # two columns
    (["t_low", "t_high"], {"values": "t", "errors": "{}_low,{}_high"}),
    (["t_lo", "t_hi"], {"values": "t", "errors": "{}_lo,{}_hi"}),
    (["t_lower", "t_upper"], {"values": "t", "errors": "{}_lower,{}_upper"}),
    (["t [K] low", "t [K] high"], {"values": "t [K]", "errors": "{} low,{} high"}),
    (["t", "t_min", "t_max"], {"values": "t", "errors": "{}_min,{}_max"}),
    (["min_t", "max_t"], {"values": "t", "errors": "min_{},max_{}"}),
    (["l0", "h0", "l1", "h1"], {"values": "0,1", "errors": "l{},h{}"}),
    (["t", "t_ci_low", "t_ci_high"], {"values": "t", "kind": "ci95"}),
    (["t", "t_low_95", "t_high_95"], {"values": "t", "kind": "ci95"}),
    (["t", "t_025", "t_975"], {"values": "t", "errors": "{}_025,{}_975"}),
    (["t", "t_16", "t_84"], {"values": "t", "errors": "{}_16,{}_84", "kind": "ci68"}),
    (["t", "t_p16", "t_p84"], {"errors": "{}_p16,{}_p84", "kind": "ci68"}),
    (["t", "t_err1", "t_err2"], {"errors": "{}_err1,{}_err2", "kind": "plusminus"}),
    (["t", "t_err_minus", "t_err_plus"], {"errors": "{}_err_plus,{}_err_minus"}),
    (["t", "t_err_lo", "t_err_hi"], {"errors": "{}_err_hi,{}_err_lo"}),
    (["rad", "raderr1", "raderr2"], {"errors": "{}err1,{}err2", "kind": "plusminus"}),
    (["m", "e_m", "E_m"], {"errors": "E_{},e_{}", "kind": "plusminus"}),
    # correlations, replicates, and nothing
    (["a", "a_err", "b", "b_err", "a_b_corr"], {"corr": "{}_{}_corr"}),
    (["x", "y", "terror"], {"values": "x,y,terror"}),
    (["t [K]", "t [C]", "t_err"], {"values": "t [K],t [C],t_err"}),
    (["x1", "x2", "x3"], {"values": "x1,x2,x3"}),
]


@pytest.mark.parametrize(("names", "expected"), BY_NAMES, ids=lambda x: str(x)[:40])
def test_by_names(names, expected):
    found = guess(wide(*names))
    assert found.is_clear, found
    assert found.readings[0].id == "star"
    assert short(found.readings[0]).items() >= expected.items()


@pytest.mark.parametrize("name", ["id", "source_id", "index"])
def test_objects_may_have_numbers(name):
    cells = np.arange(N) + 0.5
    columns = [column(name, np.arange(N)), column("mean", cells), column("sd", cells)]
    said = guess(columns).readings[0].said()
    assert said == {"id": name, "values": ("mean",), "errors": ("sd",)}


def test_relative_errors_in_percent_or_not():
    percent = [*wide("au"), column("au_rsd", 1.5 + np.arange(N))]
    reading = guess(percent).readings[0]
    assert (reading.values, reading.kind) == (("au",), "rel%")
    shares = [*wide("au"), column("au_rsd", np.arange(N) / (2 * N))]
    found = guess(shares)
    assert found.readings[0].values == ("au",)
    assert found.left_out["au_rsd"] == SHARES
    assert f"au_rsd is not used: {SHARES}: set errors= and kind=." in found.notes


def test_values_that_are_named_as_errors_are_told():
    found = guess(wide("T_K", "T_F", "T_err", "m"))
    assert "unclear of what; taken as values: T_err." in found.notes[0]
    assert not guess(wide("T_K", "T_F", "m")).notes


@pytest.mark.parametrize("part", ["_", " ", "a_", "(", "a (", "err", "std_", "9 ", "±"])
def test_odd_names_take_no_time(part):
    # Of 500 underscores, one took seconds, and twice as many eight times as long.
    names = [part * 5000, *(f"{part * (190 // len(part))}{i}" for i in range(60))]
    start = time.process_time()
    guess([column(name, np.arange(N) + 0.5) for name in names])
    assert time.process_time() - start < 5  # a hundred times what it takes


def test_bounds_of_one_value_can_be_two_things():
    found = guess(wide("value", "lower", "upper"))
    assert [reading.kind for reading in found.readings] == ["interval", "ci95"]
    assert {reading.errors for reading in found.readings} == {("lower", "upper")}


def test_a_margin_that_says_its_level_needs_no_note():
    for name, noted in (("rent_moe", True), ("rent_moe90", False)):
        assert bool(guess(wide("rent", name)).notes) == noted


def test_cells_may_say_that_they_are_errors():
    name, a, b, c = wide("a", "b", "c")
    c = replace(c, is_error=True)
    found = guess([name, a, b, c]).readings[0]
    assert short(found) == {"values": "b", "errors": "c"}
    margin = replace(c, name="margin")
    assert guess([name, a, b, margin]).readings[0].kind == "moe90"
    # Not if there is none before it, or that is an error, too.
    assert short(guess([name, c, b]).readings[0]) == {"values": "c,b"}
    two = guess([name, b, margin, c]).readings[0]
    assert short(two) == {"values": "b", "errors": "margin", "kind": "moe90"}
    sd = replace(a, name="b_sd")
    assert short(guess([name, b, sd, c]).readings[0])["errors"] == "{}_sd"
    doubt = "the columns of errors can be taken in several ways."
    assert guess([name, b, margin, sd]).doubt == doubt


def test_negative_errors_are_named():
    name, a, b = wide("a", "a_sd")
    found = guess([name, a, of_numbers("a_sd", np.asarray(b.numbers) - 10.0)])
    assert found.readings[0].values == ("a",)
    told = "a_sd is not used: named as errors, but some are negative."
    assert found.notes == (told,)


def test_errors_of_one_name_are_asked_about():
    found = guess(wide("r", "q"), None, ["star", "r", "2s", "q", "2s"])
    assert "2 columns are named 2s" in found.doubt
    assert [reading.means for reading in found.readings] == ["without these errors"]
    assert guess(wide("r", "q"), None, ["star", "r", "x", "q", "x"]).is_clear


@pytest.mark.parametrize("things", ["Target Name", "IndicatorCode", "analyte"])
def test_tables_with_rows_for_each_thing_must_be_turned(things):
    x = column("x", np.arange(N) * 1.5)
    place = text("place", [f"p{i // 2}" for i in range(N)])
    what = text(things, [f"t{i % 2}" for i in range(N)])
    wells = text("well", [f"w{i}" for i in range(N)])
    for table in ([place, what, x], [wells, place, what, x]):
        found = guess(table)
        assert not found.readings
        assert f"{things} seems to name the measured quantities of" in found.doubt
        assert "(t0, t1)" in found.doubt
    # One who says what the objects are is not told.
    assert guess([place, what, x], {"id": "place"}).readings
    # Nothing was measured of all, or of several things.
    alone = text("target", [f"t{i % 3}" for i in range(N)])
    assert guess([text("star", [f"s{i}" for i in range(N)]), alone, x]).is_clear
    some = text(things, ["t0", "t1", *["t0"] * (N - 2)])
    assert "seems to name the measured" not in guess([place, some, x]).doubt
    # It is the same for all rows of a place.
    own = text(things, [f"t{i // 2 % 2}" for i in range(N)])
    assert "seems to name the measured" not in guess([place, own, x]).doubt
    # Of each place some of each kind, but not as many.
    place = text("place", [f"p{i % 3}" for i in range(N)])
    kind = text(things, [f"t{int(i % 8 > 4 + i % 3)}" for i in range(N)])
    assert "seems to name the measured" not in guess([place, kind, x]).doubt


def test_words_with_times_may_be_objects():
    rng = np.random.default_rng(0)
    words = text("gadget", [f"g{i % 4}" for i in range(N)])
    day = column("day", np.arange(N) // 4)
    heat, level = (
        column("heat", rng.normal(size=N)),
        text("level", ["low", "high"] * 12),
    )
    found = guess([words, day, heat])
    assert "gadget" in found.doubt
    assert [reading.id for reading in found.readings] == ["gadget", None]
    assert (found.classes, "gadget" in found.left_out) == ((), False)
    # Not if it may be said of several rows of a day, nor without any time.
    assert guess([level, day, heat]).is_clear
    assert guess([level, day, heat]).classes == ("level",)
    assert guess([words, heat]).classes == ("gadget",)
    # Nor if there are several, or one that is named as classes.
    also = text("other", [f"h{i % 4}" for i in range(N)])
    assert guess([words, also, day, heat]).is_clear
    kinds = text("kind", [f"g{i % 4}" for i in range(N)])
    assert guess([kinds, day, heat]).classes == ("kind",)


def test_gaia():
    names = ["ra", "ra_error", "dec", "dec_error"]
    names += [
        "parallax",
        "parallax_error",
        "pmra",
        "pmra_error",
        "pmdec",
        "pmdec_error",
    ]
    names += ["ra_dec_corr", "parallax_pmra_corr", "parallax_pmdec_corr"]
    names += ["pmra_pmdec_corr", "phot_g_mean_mag"]
    source = of_numbers("source_id", np.arange(N) * 1009.0 + 4e9)
    found = guess([source, *measured_columns(names)])
    assert found.is_clear
    assert found.readings[0].said() == {
        "id": "source_id",
        "values": ("parallax", "pmra", "pmdec"),
        "errors": ("{}_error",),
        "corr": "{}_{}_corr",
    }
    assert found.left_out["ra"] == "a coordinate"
    assert found.left_out["phot_g_mean_mag"] == "no errors"


def test_koi():
    values = ["koi_period", "koi_depth", "koi_teff"]
    names = [f"{v}{mark}" for v in values for mark in ("", "_err1", "_err2")]
    table = [
        of_numbers("rowid", np.arange(N) + 1.0),
        text("kepoi_name", [f"K{i:05}.01" for i in range(N)]),
        text("koi_disposition", ["CONFIRMED", "CANDIDATE"] * (N // 2)),
        *measured_columns(names),
        of_numbers("koi_eccen", np.zeros(N)),
        of_numbers("koi_eccen_err1", np.full(N, np.nan)),
        *measured_columns(["koi_score"]),
    ]
    found = guess(table)
    assert found.is_clear
    assert found.readings[0].said() == {
        "id": "kepoi_name",
        "values": tuple(values),
        "errors": ("{}_err1", "{}_err2"),
        "kind": "plusminus",
    }
    assert found.classes == ("koi_disposition",)
    assert roles_in(found)["koi_depth_err2"] == "error down of koi_depth"


def test_counties_whose_names_repeat():
    table = [
        text("county", ["Washington", "Washington", *(f"c{i}" for i in range(N - 2))]),
        text("state", [f"state {i % 5}" for i in range(N)]),
        *measured_columns(["income", "income_moe", "rent", "rent_moe"]),
    ]
    found = guess(table)
    assert found.is_clear
    assert short(found.readings[0]) == {
        "values": "income,rent",
        "errors": "{}_moe",
        "kind": "moe90",
    }
    assert any("Community Survey" in note for note in found.notes)
    assert any(note.startswith("county does not name") for note in found.notes)


def replicated(noise, stems="hg", marks="123", join="_"):
    rng = np.random.default_rng(1)
    truth = {stem: rng.normal(size=N) for stem in stems}
    return [text("gene", [f"g{i}" for i in range(N)])] + [
        of_numbers(f"{stem}{join}{mark}", truth[stem] + noise * rng.normal(size=N))
        for stem in stems
        for mark in marks
    ]


def test_wide_replicates():
    found = guess(replicated(0.1))
    assert found.is_clear
    assert found.readings[0].replicates == "{}_*"
    assert found.readings[0].values == ("h", "g")
    assert roles_in(found, ["gene", "h_1"])["h_1"] == "measures h"
    found = guess([*replicated(0.1, "h", join="_rep"), *measured_columns(["dose"])])
    assert found.is_clear
    assert found.readings[0].replicates == "{}_rep*"
    assert found.left_out["dose"] == "measured once"
    assert guess(replicated(0.1, marks="abc")).readings[0].replicates == "{}_*"


@pytest.mark.parametrize("table", [replicated(5.0), replicated(0.1, "h")])
def test_numbered_columns_that_may_be_features(table):
    found = guess(table)
    assert not found.is_clear
    assert [bool(reading.replicates) for reading in found.readings] == [True, False]


def long_table(name, entries=4, objects=6, drop=0):
    stations = np.repeat(np.arange(objects), entries)
    members = np.tile(np.arange(entries), objects)
    kept = slice(0, len(stations) - drop)
    rng = np.random.default_rng(2)
    return [
        text("station", [f"s{i}" for i in stations[kept]]),
        of_numbers(name, members[kept] * 1.0),
        of_numbers("rain", rng.normal(size=len(stations))[kept]),
    ]


@pytest.mark.parametrize("name", ["member", "draw", "imputation", "realization"])
def test_joint_draws(name):
    found = guess(long_table(name))
    assert found.is_clear
    expected = {"id": "station", "values": ("rain",), "sample": name, "joint": True}
    assert found.readings[0].said() == expected


@pytest.mark.parametrize("name", ["run", "replicate", "month", "year", "sample"])
def test_rows_that_may_belong_together(name):
    found = guess(long_table(name))
    assert not found.is_clear
    joint, apart = found.readings
    assert joint.joint is True
    assert apart.meaning == "error" or apart.joint is False


def test_draws_that_are_not_complete():
    found = guess(long_table("member", drop=1))
    assert not found.is_clear
    found = guess(long_table("replicate", drop=7))
    assert found.is_clear
    assert found.readings[0].said()["meaning"] == "error"
    some = np.random.default_rng(0).choice(180, 80, replace=False)
    table = [
        of_numbers("station", some // 9 * 1.0),
        of_numbers("season", some % 9 * 1.0),
        of_numbers("rain", some * 0.37),
    ]
    found = guess(table)
    assert found.readings[0].said() == {"id": "station", "values": ("rain",)}


def test_batches_and_weights():
    found = guess(long_table("plate"))
    assert found.readings[0].said() == {
        "id": "station",
        "values": ("rain",),
        "meaning": "error",
        "batch": "plate",
    }
    weight = of_numbers("weight", np.full(N, 0.25))
    found = guess([*long_table("x"), weight])
    assert found.readings[0].weight == "weight"
    # A body's weight is a value.
    weight = of_numbers("weight", np.random.default_rng(0).normal(60, 9, N))
    assert "weight" in guess([*long_table("x"), weight]).readings[0].values


def test_classes_fit_objects():
    of_object = of_numbers("label", np.repeat([0.0, 1.0], N // 2))
    of_row = of_numbers("type", np.tile([0.0, 1.0], N // 2))
    found = guess([*long_table("x"), of_object, of_row])
    assert found.classes == ("label",)
    assert found.left_out["type"] == "classes"


def test_series_of_counts_are_no_classes():
    rng = np.random.default_rng(0)
    counts = [of_numbers(f"species_{j}", rng.poisson(9.0, N) * 2.0) for j in range(3)]
    assert guess(counts).classes == ()
    # Numbers of classes leave none out.
    labels = [of_numbers(f"cluster_{j}", rng.integers(j, size=N)) for j in (2, 3)]
    assert set(guess([*wide("mass"), *labels]).classes) == {"cluster_2", "cluster_3"}


def test_what_is_no_value():
    table = [
        *wide("mass"),
        of_numbers("year", 2000.0 + np.arange(N)),
        of_numbers("lat", np.linspace(0, 9.5, N)),
        of_numbers("one", np.ones(N)),
        of_numbers("none", np.full(N, np.nan)),
        text("note", [f"n{i % 20}" for i in range(N)]),
        of_numbers("site_id", np.arange(N) % 7.0),
        of_numbers("twice", np.arange(N) + 0.5),
        of_numbers("twice", np.arange(N) + 0.5),
    ]
    found = guess(table)
    assert found.readings[0].values == ("mass",)
    assert set(found.left_out) == {
        *("year", "lat", "one", "none", "note", "site_id"),
    }


def test_unclear_bounds():
    value, low, high = np.arange(N) * 1.0, np.arange(N) - 1.5, np.arange(N) + 1.5
    table = [
        of_numbers("t", value),
        of_numbers("t_lower", low),
        of_numbers("t_upper", high),
    ]
    found = guess(table)
    assert [reading.kind for reading in found.readings] == ["interval", "ci95"]
    found = guess(table, {"kind": "ci95"})
    assert found.is_clear
    assert found.readings[0].kind == "ci95"
    found = guess(wide("t", "t_05", "t_95"))
    assert not found.readings
    assert "quantiles" in found.doubt


def test_what_was_said_is_kept():
    table = [*wide("a", "a_sd", "b", "b_sd"), of_numbers("nr", np.arange(N) * 1.0)]
    assert guess(table, {"id": "nr"}).readings[0].id == "nr"
    found = guess(table, {"kind": "2sigma"})
    assert found.readings[0].kind == "2sigma"
    found = guess(wide("a", "b", "u_a"), {"errors": ("u_{}",)})
    assert found.readings[0].values == ("a",)
    assert not guess(table, {"errors": ("nothing_{}",)}).readings
    found = guess(long_table("run"), {"sample": "run", "joint": False, "id": "station"})
    assert found.is_clear
    assert found.readings[0].joint is False
    found = guess(wide("a", "b"), {"truth": "b"})
    assert found.readings[0].values == ("a",)


def test_gaps_and_doubtful_cells():
    cells = np.arange(N) * 1.5
    cells[3] = np.nan
    found = guess([*wide("a"), of_numbers("b", cells)])
    assert not found.is_clear
    assert found.readings[0].missing == "impute"
    assert guess([*wide("a"), of_numbers("b", cells)], {"missing": "impute"}).is_clear
    cells[: N // 2 + 1] = np.nan
    found = guess([*wide("a"), of_numbers("b", cells)])
    assert found.left_out["b"] == "mostly missing"


def test_ids():
    rng = np.random.default_rng(0)
    x = of_numbers("x", rng.normal(size=N))
    running = of_numbers("n", np.arange(N) + 1.0)
    assert guess([running, x]).readings[0].id == "n"
    assert guess([x, running]).readings[0].id is None
    assert guess([of_numbers("", np.arange(N) * 1.0), x]).readings[0].id == ""
    named, rows = text("name", [f"n{i}" for i in range(N)]), running
    assert guess([rows, named, x]).readings[0].id == "name"
    # Rows of objects may be counted, too.
    counted = of_numbers("row", np.arange(N) * 1.0)
    assert guess([counted, *long_table("member")]).readings[0].id == "station"
    # Some repeat, most do not.
    some = text("name", ["n0", "n0", *(f"n{i}" for i in range(2, N))])
    found = guess([some, x])
    assert [reading.id for reading in found.readings] == [None, "name"]


@pytest.mark.parametrize("join", ["", "_", " "])
def test_counts_of_genes_are_features(join):
    rng = np.random.default_rng(0)
    genes = [of_numbers(f"gene{join}{i}", rng.poisson(5, N) * 1.0) for i in range(4)]
    names = tuple(gene.name for gene in genes)
    cells = text("cell", [f"c{i}" for i in range(N)])
    assert guess([cells, *genes]).readings[-1].said() == {"id": "cell", "values": names}
    assert guess(genes).readings[-1].said() == {"values": names}
    # One alone may name something, and so may keys.
    found = guess([cells, genes[0], of_numbers("x", rng.normal(size=N))])
    assert found.left_out == {names[0]: "an id"}
    keys = [replace(gene, name=f"gene_id{i}") for i, gene in enumerate(genes)]
    found = guess([cells, *keys, of_numbers("x", rng.normal(size=N))])
    assert set(found.left_out.values()) == {"an id"}


def test_remarks():
    table = [
        *wide("a", "a_sd"),
        of_numbers("b", 10.0 ** np.linspace(0, 4, N)),
        of_numbers("b_sd", np.full(N, 1e6)),
    ]
    columns = {c.name: c for c in table}
    found = remarks_on(columns, guess(table))
    assert found["b"] == ["skewed: try log="]
    assert found["b_sd"] == ["mostly larger than the spread of b"]
    table = long_table("x", entries=4, objects=6, drop=2)
    found = remarks_on({c.name: c for c in table}, guess(table))
    assert found["station"] == ["2 to 4 rows each"]
    low, high = np.arange(N) * 1.0, np.arange(N) + 1.0
    high[5] = 0.0
    table = [of_numbers("t_low", low), of_numbers("t_high", high)]
    found = remarks_on({c.name: c for c in table}, guess(table))
    assert found["t_low"] == ["1 time above t_high"]


def test_logarithms_are_for_positive_numbers():
    skewed = 10.0 ** np.linspace(0, 4, 40)
    assert wants_logarithm(skewed)
    assert not wants_logarithm(skewed - 2)
    assert not wants_logarithm(np.full(40, 3.0))
    assert not wants_logarithm(skewed[:5])


@given(st.lists(st.text("ab_16.84elhowirsdmx", min_size=1, max_size=9), unique=True))
def test_names_of_all_sorts(names):
    for found in error_names(names):
        assert set(found.columns) <= set(names)
        for template, column in zip(found.templates, found.columns, strict=False):
            assert template.replace("{}", found.value) == column
    found = guess(wide(*names))
    for reading in found.readings:
        assert reading.values
        assert set(roles_in(found)) >= set(reading.values)


def test_numbers_that_may_stand_for_missing_values_are_asked_about():
    cells = np.arange(N) * 1.5
    cells[:2] = -999.0
    column = replace(of_numbers("b", cells), marks=("-999",))
    found = guess([*wide("a"), column])
    assert [reading.na for reading in found.readings] == [("-999",), ()]
    assert "-999 occurs several times in b" in found.doubt


def test_measured_values_may_be_missing():
    cells = np.arange(N) * 1.5
    cells[3] = np.nan
    assert guess([*wide("a"), of_numbers("b", cells, measured=True)]).is_clear


def test_what_whole_numbers_count():
    def counts(cells):
        return numbered(of_numbers("n", np.asarray(cells, dtype=float)))

    rng = np.random.default_rng(0)
    assert counts(rng.permutation(30) + 1) == "rows"
    assert counts(np.arange(9)) == ""  # too few to tell
    assert counts(np.arange(30) + 5) == ""
    assert counts(np.arange(30) // 5) == counts(np.arange(30) % 3) == "groups"
    assert counts(rng.permutation(120) // 2 + 1) == "groups"
    assert counts(np.r_[np.arange(119) // 2, 59]) == "groups"
    assert counts(rng.permutation(30) % 3) == ""  # three kinds, or three children
    assert counts(rng.poisson(4, 100)) == ""
    assert counts(np.r_[0.0, np.arange(29)]) == ""


def test_marks_of_missing_values_among_errors_do_not_drop_their_values():
    name, a, b, b_sd = wide("a", "b", "b_sd")
    cells = np.array(b_sd.numbers)
    cells[:3] = -999.0
    marked = replace(of_numbers("b_sd", cells), marks=("-999",))
    found = guess([name, a, b, marked])
    (reading,) = found.readings
    assert (reading.values, reading.na) == (("b",), ("-999",))
    assert not found.is_clear
    # Others that are negative are no errors.
    cells[5] = -1.0
    found = guess([name, a, b, replace(of_numbers("b_sd", cells), marks=("-999",))])
    assert found.left_out["b_sd"] == "named as errors, but some are negative"


def test_names_that_occur_twice_are_told():
    found = guess(wide("a"), None, ["star", "a", "x", "x"])
    assert "2 columns are named x, and none of them is used" in found.notes[0]
    found = guess(wide()[:1], None, ["star", "x", "x"])
    assert "2 columns are named x, and none of them is used" in found.doubt


@pytest.mark.parametrize(
    ("sizes", "said", "expected"),
    [
        ({"member": 9, "y": 4, "x": 5}, {}, [("y,x", "member", True)]),
        ({"x": 5, "number": 9, "time": 1}, {}, [("x", "number", True)]),
        ({"time": 9, "x": 5}, {}, [("x", "time", True), ("x", "time", False)]),
        ({"time": 9, "x": 5}, {"joint": False}, [("x", "time", False)]),
        ({"z": 9, "x": 5}, {"sample": "z", "joint": True}, [("x", "z", True)]),
        ({"z": 9, "x": 5}, {}, []),
        ({"member": 9, "x": 1}, {}, []),
    ],
)
def test_arrays_have_draws_along_a_dimension(sizes, said, expected):
    arrays = [Described(name, "other", sizes=sizes) for name in ("t", "p")]
    mask = Described("mask", "other", sizes={"y": 4, "z": 5})
    found = guess([*arrays, mask], said)
    told = [(r.id, r.sample, r.joint) for r in found.readings]
    assert told == expected
    assert found.is_clear == (len(expected) == 1)
    assert all(reading.values == ("t", "p") for reading in found.readings)
    assert found.left_out == {"mask": "it has other dimensions"}


def test_counts_are_guessed_where_they_are_said():
    columns = [
        column("site", [f"s{i}" for i in range(N)]),
        column("owl", np.arange(N) % 7),
        column("fox", np.arange(N) % 5),
        column("height", np.linspace(0.1, 3.3, N)),
        column("total", np.arange(N) % 5 + np.arange(N) % 7),
    ]
    found = guess(columns, {"kind": "counts"})
    (reading,) = found.readings
    assert (reading.id, reading.kind) == ("site", "counts")
    assert reading.values == ("owl", "fox")
    assert reading.errors == ()
    assert found.left_out["height"] == "no count"
    assert "exposure" in found.left_out["total"]
    assert (
        "total" not in guess(columns, {"kind": "counts", "exposure": "total"}).left_out
    )
    repeated = [column("site", ["a", "b"] * (N // 2)), *columns[1:3]]
    (reading,) = guess(repeated, {"kind": "counts", "id": "site"}).readings
    assert reading.means == "counts; rows of an object are added up"
    nothing = guess([columns[0], columns[4]], {"kind": "counts"})
    assert "no column of whole numbers" in nothing.doubt
