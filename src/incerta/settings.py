"""The constants that decide the default answer.

``python benchmarks/sensitivity.py`` halves and doubles each of them, and shows what
that does to accuracy and calibration on made data. Every comment states the unit, the
effect, and the evidence if another command shows it.
"""

# Directions --------------------------------------------------------------------------

# Features. Tables with no more than this are clustered as they are.
FEW_FEATURES = 8
# Standard deviations. A direction is kept if its singular value exceeds those of random
# signs by this much; 3 finds one in 4 % of tables of noise (benchmarks/wide.py).
BEYOND_CHANCE = 3.0
# Probability that one of all pairs of independent features passes for correlated.
CORRELATED_BY_CHANCE = 0.005
# Correlation. Two features that exceed it, errors aside, count as one.
COPY = 0.99
# Share of the variance of a feature that is true, at the least: error bars that are too
# long would otherwise leave nothing.
LEAST_TRUE = 0.05
# Share of the true variance of a feature that is its own, at the least. A feature that
# the directions explained fully would decide all places alone.
LEAST_OWN = 0.2
# Share of the true variance that directions must hold in tables of up to 100 features;
# with less, clusters that show in few features would be lost.
LEAST_HELD = 2 / 3
# Objects per direction: fewer cannot tell a direction from chance.
OBJECTS_PER_DIRECTION = 8

# Views -------------------------------------------------------------------------------

# Objects. Views are found with at most this many; the laws of their clusters assign the
# others (benchmarks/landmarks.py).
MOST_OBJECTS = 1000
# Worlds that views cluster, and the most if draws are given. With half of the draws of
# an ensemble, confidence was too high (docs/stories/climatologist.rst).
N_WORLDS, MOST_DRAWS = 16, 40
# Mixtures of random halves of the objects. Half of the worlds are drawn from them, so
# that worlds differ where the data do not tell how true values are distributed.
N_HALVES = 4
# Width of the kernel between laws, in median distances of values: KERNEL_WIDTH / √n for
# objects with n values. Few values say little more about a law than its mean.
KERNEL_WIDTH = 5.0
# Directions in which laws differ most; the others are mostly chance.
N_AXES = 20

# Weights of views: exp(SHARPNESS * (score * balance + STABLE * stability)) ------------

# Weight per unit of score: views that score 0.03 less get 0.4 times the weight.
SHARPNESS = 30.0
# Score that full agreement between worlds is worth.
STABLE = 0.075
# Share of the objects from which on a cluster counts in full in the balance of sizes,
# and the same in mean cluster sizes where there are many clusters.
FULL_SHARE = 0.04
FULL_PART_OF_MEAN = 0.25

# The judge ---------------------------------------------------------------------------

# Objects per feature. The law of a cluster has covariances only if there are more: with
# few, covariances make any clustering look clear.
LAW_OBJECTS_PER_FEATURE = 10
# Variance of the law of a single object, as a share of the variance of all.
USUAL_WIDTH = 0.1
# Share of what BIC asks for each further Gaussian that it must bring for the search to
# go on. A ring takes four Gaussians, and two of them bring something.
HOPELESS = 0.5
# Log density per object. No second Gaussian is tried if BIC asks for more.
MOST_TO_BRING = 1.0
# Share of the objects. A score is relative to what a cluster of this size leaves to be
# told, at the least: a handful of outliers is always told.
LEAST_TO_TELL = 0.05

# Number of clusters ------------------------------------------------------------------

# Largest number that is tried.
MOST_CLUSTERS = 30
# Power of the weights that BIC gives to numbers of clusters. BIC takes the mixture for
# the truth; with this power weights are calibrated (benchmarks/choose_k.py).
TEMPER = 0.2
# Objects. Fewer, far from all others, are not a cluster of their own.
FEWEST_IN_CLUSTER = 5
# Share of the entropy of two components that their values leave open. Components that
# leave more are one cluster; so do equal Gaussians 2.5 standard deviations apart.
MOST_OPEN = 0.35
# The same for components between which the density hardly falls: to NO_VALLEY of the
# lower peak, or to less.
SOME_OPEN = 0.1
NO_VALLEY = 0.75
