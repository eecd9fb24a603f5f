// FDBSCAN of ELKI 0.7.1 on objects of some values each: seconds of CPU time.
// Called by bench_density.py --elki; arguments: file of doubles, objects, values,
// features, eps, min_samples.

import de.lmu.ifi.dbs.elki.algorithm.clustering.gdbscan.GeneralizedDBSCAN;
import de.lmu.ifi.dbs.elki.algorithm.clustering.gdbscan.MinPtsCorePredicate;
import de.lmu.ifi.dbs.elki.algorithm.clustering.uncertain.FDBSCANNeighborPredicate;
import de.lmu.ifi.dbs.elki.data.DoubleVector;
import de.lmu.ifi.dbs.elki.data.type.VectorFieldTypeInformation;
import de.lmu.ifi.dbs.elki.data.uncertain.UnweightedDiscreteUncertainObject;
import de.lmu.ifi.dbs.elki.database.Database;
import de.lmu.ifi.dbs.elki.database.StaticArrayDatabase;
import de.lmu.ifi.dbs.elki.datasource.DatabaseConnection;
import de.lmu.ifi.dbs.elki.datasource.bundle.MultipleObjectsBundle;
import de.lmu.ifi.dbs.elki.math.random.RandomFactory;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;

public class FdbscanPeer {
  public static void main(String[] given) throws Exception {
    int objects = Integer.parseInt(given[1]);
    int values = Integer.parseInt(given[2]);
    int features = Integer.parseInt(given[3]);
    double eps = Double.parseDouble(given[4]);
    int minSamples = Integer.parseInt(given[5]);
    byte[] bytes = Files.readAllBytes(Paths.get(given[0]));
    DoubleBuffer numbers =
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer();

    List<UnweightedDiscreteUncertainObject> all = new ArrayList<>();
    for (int i = 0; i < objects; i++) {
      DoubleVector[] own = new DoubleVector[values];
      for (int j = 0; j < values; j++) {
        double[] value = new double[features];
        numbers.get(value);
        own[j] = new DoubleVector(value);
      }
      all.add(new UnweightedDiscreteUncertainObject(own));
    }
    final MultipleObjectsBundle bundle = new MultipleObjectsBundle();
    bundle.appendColumn(
        new VectorFieldTypeInformation<>(
            UnweightedDiscreteUncertainObject.FACTORY, features),
        all);
    Database database =
        new StaticArrayDatabase(
            new DatabaseConnection() {
              public MultipleObjectsBundle loadData() {
                return bundle;
              }
            },
            null);
    database.initialize();

    long before = cpuTime();
    int clusters =
        new GeneralizedDBSCAN(
                new FDBSCANNeighborPredicate(eps, values, 0.5, new RandomFactory(0L)),
                new MinPtsCorePredicate(minSamples),
                false)
            .run(database)
            .getAllClusters()
            .size();
    System.out.printf("%.3f %d%n", (cpuTime() - before) / 1e9, clusters);
  }

  private static long cpuTime() {
    return ((com.sun.management.OperatingSystemMXBean)
            ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
