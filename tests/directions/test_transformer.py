"""`Directions`, as a user meets it."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta.data.partitioned import PartitionedData
from incerta.directions import transformer
from incerta.report import summarize
from incerta.report.summarize import picture, python_of
from tests.directions.tables import factor_table, few_tell, noise, with_errors


@parametrize_with_checks([ic.Directions(), ic.Directions(2)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def a_table(seed=0, **how):
    _, _, values, std = factor_table(seed, **how)
    return with_errors(values, std)


def test_few_features_are_left_alone():
    data = a_table(d=8)
    model = ic.Directions().fit(data)
    assert model.n_directions_ == 0
    assert model.transform(data) is data
    assert model.inverse_transform(data) is data
    assert model.sentences() == []
    assert model.get_feature_names_out().tolist() == list(data.feature_names)


def two_groups(n_copies, seed=0):
    """Two features of two groups 8 deviations apart, the first in other units, too."""
    rng = np.random.default_rng([seed, 5])
    values = (
        rng.normal(size=(40, 2)) + 4.0 * np.sqrt(2.0) * np.repeat([0, 1], 20)[:, None]
    )
    units = [(-1.0) ** j * 10.0**j for j in range(n_copies)]
    return np.column_stack([values, *(values[:, 0] * unit + 7.0 for unit in units)])


@pytest.mark.parametrize("n_copies", [2, 10])
def test_copies_among_few_features_are_left_out(n_copies, tmp_path):
    values = two_groups(n_copies)
    result = ic.cluster(ic.from_gaussian(values, std=0.1 * values.std(axis=0)))
    assert result.n_clusters == 2
    assert result.estimator.n_features_in_ == 2
    note = f"{n_copies} features repeat others: x2 (x0), x3 (x0)"
    assert any(reason.startswith(note) for reason in result.reasons)
    assert np.array_equal(result.predict(result.data), result.labels)
    result.save(tmp_path / "run.incerta")
    assert np.array_equal(ic.load(tmp_path / "run.incerta").labels, result.labels)


def test_what_is_left_without_copies():
    values = two_groups(3)
    data = ic.as_uncertain(values)
    model = ic.Directions().fit(values)
    assert model.copies_.tolist() == [0, 1, 0, 0, 0]
    assert model.get_feature_names_out().tolist() == ["x0", "x1"]
    assert np.array_equal(model.transform(values), values[:, :2])
    parts = PartitionedData((data[:15], None, data[15:]), data.feature_names)
    there = ic.Directions().fit_transform(parts)
    assert there.feature_names == ("x0", "x1")
    assert np.array_equal(there.gather().mean(), values[:, :2])


def test_features_that_are_nearly_alike_differ():
    rng = np.random.default_rng(0)
    values = two_groups(0)
    near = values[:, 0] + 0.05 * values[:, 0].std() * rng.normal(size=40)
    far = rng.normal(size=(2, 40))
    far[:, 7] = 1e6  # one object alone makes no copies
    data = ic.as_uncertain(np.column_stack([values, near, *far]))
    assert np.corrcoef(data.mean().T)[[0, 3], [2, 4]].min() > 0.997
    model = ic.Directions().fit(data)
    assert model.transform(data) is data
    assert model.sentences() == ["1 feature nearly repeats another one: x2 (x0)."]


def test_near_copies_are_named_and_do_not_change_the_number(tmp_path):
    rng = np.random.default_rng(0)
    values = two_groups(1, seed=3)
    near = values[:, :1] + 0.05 * values[:, 0].std() * rng.normal(size=(40, 2))
    data = ic.from_gaussian(np.hstack([values, near]), std=0.01)
    result = ic.cluster(data)
    assert result.n_clusters == 2
    assert result.estimator.n_features_in_ == 4
    assert "1 feature repeats another one: x2 (x0)." in result.reasons
    note = "2 features nearly repeat others: x3 (x0), x4 (x0)."
    assert note in result.reasons
    result.save(tmp_path / "run.incerta")
    assert note in ic.load(tmp_path / "run.incerta").reasons


def test_some_features_are_left_alone_unless_directions_hold_most():
    rng = np.random.default_rng(0)
    places, loadings = rng.normal(size=(200, 2)), rng.normal(size=(12, 2))
    clear = places @ loadings.T + 0.1 * rng.normal(size=(200, 12))
    blurred = places @ loadings.T + 1.5 * rng.normal(size=(200, 12))
    assert ic.Directions().fit(clear).n_directions_ == 2
    assert ic.Directions().fit(blurred).n_directions_ == 0
    assert ic.Directions(2).fit(blurred).n_directions_ == 2


def test_more_directions_than_half_of_the_features_do_not_pay():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 10))
    values += 0.05 * rng.normal(size=values.shape)
    assert ic.Directions().fit(values).n_directions_ == 0


def test_wide_tables_without_directions_are_made_narrow():
    values, std = noise(0, 50, 150)
    model = ic.Directions().fit(with_errors(values, std))
    assert model.n_directions_ == transformer.ANYWAY
    values, std = noise(0, 50, 60)
    assert ic.Directions().fit(with_errors(values, std)).n_directions_ == 0


def test_tables_of_many_directions_are_left_alone_where_methods_cope():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 25)) @ rng.normal(size=(25, 120))
    values += rng.normal(size=values.shape)
    assert ic.Directions().fit(values[:, :60]).n_directions_ == 0
    assert ic.Directions().fit(values).n_directions_ == transformer.MOST_DIRECTIONS


def test_units_and_order_do_not_matter():
    _, _, values, std = factor_table(4)
    units = 10.0 ** np.random.default_rng(0).integers(-6, 7, size=values.shape[1])
    here = ic.Directions().fit_transform(with_errors(values, std)).mean()
    there = ic.Directions().fit_transform(with_errors(values * units, std * units))
    assert np.allclose(np.abs(here), np.abs(there.mean()), rtol=1e-6, atol=1e-8)
    data = with_errors(values, std)
    order = np.random.default_rng(1).permutation(len(data))
    model, other = ic.Directions().fit(data), ic.Directions().fit(data[order])
    assert np.array_equal(model.loadings_, other.loadings_)


def test_new_objects_are_put_where_those_of_the_fit_are():
    data = a_table(gaps=0.1)
    model = ic.Directions().fit(data)
    there, some = model.transform(data), model.transform(data[[5, 3]])
    assert np.allclose(there.mean()[[5, 3]], some.mean(), rtol=1e-12)
    assert np.allclose(there.covariance()[[5, 3]], some.covariance(), atol=1e-12)
    assert there.meaning == "error"
    assert there.feature_names == ("direction 1", "direction 2")
    assert there.ids.tolist() == data.ids.tolist()


def test_blocks_of_objects_are_put_together():
    data = a_table(n=12_000, gaps=0.1)
    model = ic.Directions().fit(data[:300])
    whole, part = model.transform(data), model.transform(data[6000:])
    assert np.allclose(whole.mean()[6000:], part.mean(), rtol=1e-12)
    assert np.allclose(whole.covariance()[6000:], part.covariance(), atol=1e-12)


def test_the_same_on_a_device(where):
    data = a_table(gaps=0.2)
    here = ic.Directions().fit_transform(data)
    there = ic.Directions(device=where).fit_transform(data)
    assert np.allclose(here.mean(), there.mean())
    assert np.allclose(here.covariance(), there.covariance())


def test_correlated_errors_count():
    _, _, values, std = factor_table(5, n=100, d=30)
    root = 0.5 * np.ones(30)  # one error that all values of an object share
    cov = np.einsum("ni,ij->nij", std**2, np.eye(30)) + np.outer(root, root)
    data = ic.from_gaussian(values, cov=cov)
    apart = with_errors(values, np.sqrt(np.einsum("nii->ni", cov)))
    model = ic.Directions(2).fit(apart)
    more = model.transform(data).variance() / model.transform(apart).variance()
    assert more.mean() > 1.05


def test_exact_objects_stay_exact_also_among_others():
    _, _, values, std = factor_table(6)
    exact = ic.Directions().fit_transform(ic.as_uncertain(values))
    assert exact.exact
    assert isinstance(ic.Directions().fit_transform(values), np.ndarray)
    std[:40] = 0.0
    model = ic.Directions().fit(with_errors(values, std))
    there = model.transform(with_errors(values, std))
    assert not there.variance()[:40].any()
    assert there.variance()[40:].all()
    directly = model.transform(ic.as_uncertain(values)).mean()
    assert np.allclose(there.mean()[:40], directly[:40])


def test_features_come_back():
    places, loadings, values, std = factor_table(7, n=400, level=0.2)
    data = with_errors(values, std)
    model = ic.Directions().fit(data)
    there = model.transform(data)
    back = model.inverse_transform(there)
    truth = places @ loadings.T
    assert back.feature_names == data.feature_names
    assert np.corrcoef(back.mean().ravel(), truth.ravel())[0, 1] > 0.97
    expected = model.loadings_ @ there.covariance() @ model.loadings_.T
    assert np.allclose(back.covariance(), expected)
    array = model.inverse_transform(there.mean())
    assert np.allclose(array, back.mean())


@pytest.mark.parametrize("kind", ["spread", "belief", "joint"])
def test_other_meanings_are_mapped_value_by_value(kind):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 120))
    values = places[:, None] + rng.normal(size=(60, 5, 120))
    data = {
        "spread": lambda: ic.from_array(values),
        "belief": lambda: ic.from_gaussian(places, std=0.3, meaning="belief"),
        "joint": lambda: ic.from_worlds(values.transpose(1, 0, 2)),
    }[kind]()
    model = ic.Directions().fit(data)
    there = model.transform(data)
    assert there.meaning == data.meaning
    assert there.joint == data.joint
    matrix = model._found.factors.directly
    expected = (data.mean() - model.center_) @ matrix.T
    assert np.allclose(there.mean(), expected)
    assert np.allclose(there.covariance(), matrix @ data.covariance() @ matrix.T)
    assert there.law.n_uniforms <= 5


def test_partitions_are_sent_the_directions():
    data = a_table(gaps=0.1)
    parts = PartitionedData((data[:50], None, data[50:]), data.feature_names)
    model, whole = ic.Directions().fit(parts), ic.Directions().fit(data)
    assert np.array_equal(model.loadings_, whole.loadings_)
    there = model.transform(parts)
    assert there.feature_names == ("direction 1", "direction 2")
    assert np.allclose(there.gather().mean(), whole.transform(data).mean())
    narrow = PartitionedData((a_table(d=5),), a_table(d=5).feature_names)
    assert ic.Directions().fit(narrow).transform(narrow) is narrow


def test_found_with_some_of_the_objects(monkeypatch):
    data = a_table(n=300)
    monkeypatch.setattr(transformer, "MOST_VALUES", 1)
    monkeypatch.setattr(transformer, "MANY_OBJECTS", 150)
    some = ic.Directions().fit(data)
    assert some.n_directions_ in (2, 3)
    assert len(some.transform(data)) == 300
    monkeypatch.undo()
    assert not np.array_equal(ic.Directions().fit(data).center_, some.center_)


def test_what_is_said():
    _, _, values, std = factor_table(0, d=30)
    names = [f"f{j}" for j in range(30)]
    data = ic.from_gaussian(values, std=std, feature_names=names)
    model = ic.Directions().fit(data)
    first, *each = model.sentences()
    assert first.startswith("30 features, 2 directions hold what is not error or")
    assert len(each) == 2
    label = model.labels()[0]
    shares = model._found.factors.shares[:, 0]
    main = names[int(shares.argmax())]
    sign = "+" if model.loadings_[shares.argmax(), 0] > 0 else "\N{MINUS SIGN}"
    assert label.startswith(f"direction 1 ({sign}{main}, ")
    assert label.count(",") == 2


def test_models_come_back(tmp_path):
    data = a_table()
    for model in (ic.Directions().fit(data), ic.Directions().fit(a_table(d=5))):
        from incerta.models.files import save

        save(model, tmp_path / "model")
        again = ic.load(tmp_path / "model")
        assert again.n_directions_ == model.n_directions_
        assert again.sentences() == model.sentences()
        if model.n_directions_:
            there, here = again.transform(data), model.transform(data)
            assert np.array_equal(there.mean(), here.mean())


def test_clustering_in_directions(tmp_path):
    values, std, classes = few_tell(0, 100, 300, 15)
    data = ic.from_gaussian(values, std=std)
    result = ic.cluster(data, 4)
    assert adjusted_rand_score(classes, result.labels) > 0.9
    assert result.directions.n_directions_ == 3
    assert result.estimator.one_shape
    assert "300 features, 3 directions hold" in result.explain()
    assert np.array_equal(result.predict(data), result.labels)
    assert np.isfinite(result.novelty).all()
    result.save(tmp_path / "run.incerta")
    again = ic.load(tmp_path / "run.incerta")
    assert np.array_equal(again.predict(data), result.labels)
    alone = ic.cluster(data, 4, "UKMeans", directions=None)
    assert alone.directions is None
    assert alone.estimator.n_features_in_ == 300


def test_pictures_and_the_report_are_in_directions(tmp_path):
    values, std, _ = few_tell(0, 100, 300, 15)
    result = ic.cluster(ic.from_gaussian(values, std=std), 4)
    labels = result.directions.labels()
    assert result.shown.feature_names == tuple(labels)
    ax = result.plot.scatter()
    assert {ax.get_xlabel(), ax.get_ylabel()} <= set(labels)
    assert result.plot.scatter(["x0", "x1"]).get_xlabel() == "x0"
    summary = summarize(result)
    assert len(summary["data"]["feature_names"]) == 50
    assert len(summary["clusters"][0]["mean"]) == 50
    assert [one["name"] for one in summary["directions"]] == [
        f"direction {a}" for a in (1, 2, 3)
    ]
    first = summary["directions"][0]["features"]
    assert abs(first[0]["correlation"]) >= abs(first[-1]["correlation"]) > 0.1
    assert set(picture(result)["axes"][:-1]) == set(labels)
    result.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert "Share of the true variance" in page
    assert "of 300 features in which the clusters differ most" in page


def test_without_directions_everything_is_in_features():
    values, std, _ = few_tell(0, 60, 120, 15)
    result = ic.cluster(
        ic.from_gaussian(values, std=std), 2, "UKMeans", directions=None
    )
    assert result.shown is result.data
    assert summarize(result)["directions"] == []
    assert "directions=None" in python_of(result)
    given = ic.cluster(ic.from_gaussian(values, std=std), 2, "UKMeans", directions=3)
    assert given.directions.n_directions_ == 3
    assert "directions=3" in python_of(given)


def test_the_number_of_clusters_in_a_wide_table():
    values, std, _ = few_tell(1, 120, 300, 20)
    choice = ic.choose_k(with_errors(values, std), range(1, 7), random_state=0)
    assert choice.k == 4


def test_rank_two_in_ten_features():
    rng = np.random.default_rng(0)
    classes = rng.integers(3, size=300)
    centers = 4.0 * np.array([[0, 0], [1, 0], [0.5, 0.87]])
    plane = centers[classes] + rng.normal(size=(300, 2))
    values = plane @ rng.normal(size=(2, 10)) + 0.1 * rng.normal(size=(300, 10))
    assert ic.choose_k(values, range(1, 7), random_state=0).k == 3
