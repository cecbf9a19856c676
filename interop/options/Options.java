import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Prints every option that a release of Hudi has, a line each: the keys and former keys of all ConfigProperty fields of its classes, and
 * texts that are constants there and look like one. For BUNDLE, the bundle's jar, and SPARK, the folder of Spark's jars:
 *
 *   java -cp "BUNDLE:SPARK/*" interop/options/Options.java BUNDLE
 *
 * lake/hudi/testdata/options.txt joins the lists of the four releases, without constants that only begin the names of others.
 */
public class Options {
  private static final String KEY = "_?\\.?hoodie\\.[A-Za-z0-9_.-]+[A-Za-z0-9]";

  public static void main(String[] args) throws Exception {
    Class<?> property = Class.forName("org.apache.hudi.common.config.ConfigProperty");
    TreeSet<String> out = new TreeSet<>();
    try (JarFile jar = new JarFile(args[0])) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (!name.startsWith("org/apache/hudi/") || !name.endsWith(".class")) continue;
        try {
          read(Class.forName(name.substring(0, name.length() - 6).replace('/', '.'), false, Options.class.getClassLoader()), property, out);
        } catch (NoClassDefFoundError optional) {
          // A class for a system that is not on the class path.
        } catch (ExceptionInInitializerError optional) {
          System.err.println(name + ": " + optional);
        }
      }
    }
    out.forEach(System.out::println);
  }

  private static void read(Class<?> c, Class<?> property, TreeSet<String> out) throws Exception {
    for (Field f : c.getDeclaredFields()) {
      boolean text = f.getType() == String.class;
      if (!text && f.getType() != property) continue;
      Object of = null;
      if (!Modifier.isStatic(f.getModifiers())) { // of a Scala object
        if (!c.getName().endsWith("$")) continue;
        try {
          of = c.getDeclaredField("MODULE$").get(null);
        } catch (NoSuchFieldException none) {
          continue;
        }
      }
      f.setAccessible(true);
      Object value = f.get(of);
      if (value == null) continue;
      if (text) {
        if (((String) value).matches(KEY)) out.add(value + " constant");
        continue;
      }
      out.add((String) property.getMethod("key").invoke(value));
      for (Object former : (Iterable<?>) property.getMethod("getAlternatives").invoke(value)) out.add((String) former);
    }
  }
}
