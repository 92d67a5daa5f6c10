package org.apache.hadoop.hive.ql.exec;

import java.util.ArrayList;
import java.util.List;
import org.apache.hive.com.esotericsoftware.kryo.Kryo;
import org.apache.hive.com.esotericsoftware.kryo.Serializer;
import org.apache.hive.com.esotericsoftware.kryo.io.Input;
import org.apache.hive.com.esotericsoftware.kryo.io.Output;

/**
 * Replaces the class of this name in hive-exec 3.1, which needs a private field that ArrayList's sub-lists lost in Java 9: a
 * sub-list travels as a list of its own.
 */
@SuppressWarnings({"unchecked", "rawtypes"})
class SerializationUtilities$ArrayListSubListSerializer extends Serializer<List> {
  public SerializationUtilities$ArrayListSubListSerializer() {}

  @Override
  public void write(Kryo kryo, Output output, List list) {
    kryo.writeClassAndObject(output, new ArrayList<Object>(list));
  }

  @Override
  public List read(Kryo kryo, Input input, Class<List> type) {
    return (List) kryo.readClassAndObject(input);
  }

  @Override
  public List copy(Kryo kryo, List list) {
    return new ArrayList<Object>(list);
  }
}
