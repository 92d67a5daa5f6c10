import java.util.List;
import org.apache.hadoop.hive.metastore.api.FieldSchema;

/** What the driver answers, as JSON on one line. */
final class Json {
  private Json() {}

  static String result(List<FieldSchema> columns, List<Object> rows) {
    StringBuilder out = new StringBuilder("{\"columns\": [");
    String separator = "";
    for (FieldSchema column : columns) {
      out.append(separator).append('[').append(text(column.getName())).append(", ").append(text(column.getType())).append(']');
      separator = ", ";
    }
    out.append("], \"rows\": [");
    separator = "";
    for (Object row : rows) {
      out.append(separator).append('[');
      String comma = "";
      for (Object value : row instanceof Object[] ? (Object[]) row : new Object[] {row}) { // EXPLAIN answers lines of text
        out.append(comma).append(value(value));
        comma = ", ";
      }
      out.append(']');
      separator = ", ";
    }
    return out.append("]}").toString();
  }

  /** The messages of an error and of its causes. */
  static String error(Throwable error) {
    StringBuilder messages = new StringBuilder();
    for (Throwable t = error; t != null; t = t.getCause()) {
      messages.append(t == error ? "" : " <- ").append(t.getClass().getName()).append(": ").append(t.getMessage());
    }
    return "{\"error\": " + text(messages.toString()) + "}";
  }

  /** Finite numbers and booleans as such, binary values as hexadecimal text, all else as Hive prints it. */
  private static String value(Object value) {
    if (value == null) {
      return "null";
    }
    boolean integer = value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long;
    boolean finite = (value instanceof Double || value instanceof Float) && Double.isFinite(((Number) value).doubleValue());
    if (integer || finite || value instanceof Boolean) {
      return value.toString();
    }
    if (value instanceof byte[]) {
      StringBuilder hex = new StringBuilder();
      for (byte b : (byte[]) value) {
        hex.append(String.format("%02x", b));
      }
      return text(hex.toString());
    }
    return text(value.toString());
  }

  private static String text(String value) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : value.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
