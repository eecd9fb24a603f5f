"""The constants that decide the default answer.

``python benchmarks/sensitivity.py`` halves and doubles each of them, and shows what
that does to accuracy and calibration on made data. Every comment states the unit, the
effect, and the evidence if another command shows it.
"""

# Directions --------------------------------------------------------------------------

# Number of features up to which tables are clustered without directions.
FEW_FEATURES = 8
# Standard deviations by which the singular value of a direction must exceed those of
# random signs. With 3, a direction is found in 4% of tables of noise
# (benchmarks/wide.py).
BEYOND_CHANCE = 3.0
# Probability that any of all pairs of independent features counts as correlated.
CORRELATED_BY_CHANCE = 0.005
# Correlation of true values above which two features count as one.
COPY = 0.99
# Least share of the variance of a feature that counts as true. Without it, error bars
# that are too long would leave nothing.
LEAST_TRUE = 0.05
# Least share of the true variance of a feature that counts as unique. A feature that
# the directions explained fully would determine all positions alone.
LEAST_OWN = 0.2
# Share of the true variance that directions must explain in tables of up to 100
# features. With less, clusters that differ in few features would be lost.
LEAST_HELD = 2 / 3
# Objects per direction. With fewer, a direction cannot be told from chance.
OBJECTS_PER_DIRECTION = 8

# Views -------------------------------------------------------------------------------

# With more objects, views cluster this many; the laws of the clusters assign the others
# (benchmarks/landmarks.py).
MOST_OBJECTS = 1000
# Number of worlds that views cluster, and the largest number of joint draws. With half
# of the draws of an ensemble, confidence was too high (docs/stories/climatologist.rst).
N_WORLDS, MOST_DRAWS = 16, 40
# Number of mixtures of random halves of the objects. Half of the worlds come from them,
# so that worlds differ where the data leave the distribution of true values open.
N_HALVES = 4
# Width of the kernel between laws of objects with n values: KERNEL_WIDTH / √n median
# distances of values. It is wide for few values, which show little of a law but its
# mean.
KERNEL_WIDTH = 5.0
# Number of directions in which laws are compared; further ones are mostly chance.
N_AXES = 20

# Weights of views: exp(SHARPNESS * (score * balance + STABLE * stability)) ------------

# Logarithm of the weight per unit of score: a score lower by 0.03 means 0.4 times the
# weight.
SHARPNESS = 30.0
# Gain in score for full agreement between worlds.
STABLE = 0.1
# Least share of the objects with which a cluster counts in full in the balance of
# sizes; with many clusters, least share of the mean cluster size.
FULL_SHARE = 0.04
FULL_PART_OF_MEAN = 0.25

# The judge ---------------------------------------------------------------------------

# Objects per feature above which the law of a cluster has covariances. With fewer
# objects, covariances make any clustering look clear.
LAW_OBJECTS_PER_FEATURE = 10
# Variance of the law of a single object, as a share of the total variance.
USUAL_WIDTH = 0.1
# Share of the price of a Gaussian in BIC that it must gain for the search to continue.
# A ring needs four Gaussians, but the second one already gains some of its price.
HOPELESS = 0.5
# Log density per object. No second Gaussian is tried if its price in BIC is higher.
MOST_TO_BRING = 1.0
# Share of the objects. A score is relative to at least the entropy of a cluster of this
# size, because a handful of outliers can always be predicted.
LEAST_TO_TELL = 0.05

# Number of clusters ------------------------------------------------------------------

# Largest number of clusters to try.
MOST_CLUSTERS = 30
# Power of the BIC weights of numbers of clusters. BIC assumes that the mixture is true;
# with this power the weights are calibrated (benchmarks/choose_k.py).
TEMPER = 0.2
# Number of objects. Fewer objects far from all others are not a cluster.
FEWEST_IN_CLUSTER = 5
# Share of the entropy of two components that remains given the values. If more remains,
# as for equal Gaussians up to 2.5 standard deviations apart, they are one cluster.
MOST_OPEN = 0.35
# The same if the density between them hardly falls: to NO_VALLEY of the lower peak or
# more.
SOME_OPEN = 0.1
NO_VALLEY = 0.75
