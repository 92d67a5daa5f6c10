package hiveacid.metastore;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Leads a class's one call of ServerSocket.accept to Door.accept.
 *
 * <p>The form of a class file is that of the Java Virtual Machine Specification, section 4: a header, a pool of
 * constants to which instructions refer by number, and the rest, which stays as it is but for the call.
 */
final class AcceptCall {
  private static final int CALL_OF_AN_OBJECT = 0xb6; // invokevirtual
  private static final int CALL_OF_A_CLASS = 0xb8; // invokestatic, which finds the server socket as its argument
  private static final int TEXT = 1;
  private static final int CLASS = 7;
  private static final int METHOD = 10;
  private static final int NAME_AND_TYPE = 12;
  private static final int HEADER_BYTES = 8;

  private final Object[] constants; // a text, or the numbers that the constant refers to
  private final int[] tags;
  private final int end; // of the pool

  private AcceptCall(byte[] file) throws IOException {
    ByteArrayInputStream bytes = new ByteArrayInputStream(file, HEADER_BYTES, file.length - HEADER_BYTES);
    DataInputStream in = new DataInputStream(bytes);
    int count = in.readUnsignedShort();
    constants = new Object[count];
    tags = new int[count];
    for (int number = 1; number < count; number++) {
      int tag = in.readUnsignedByte();
      tags[number] = tag;
      constants[number] = readConstant(tag, in);
      if (tag == 5 || tag == 6) { // a long or a double takes two numbers
        number++;
      }
    }
    end = file.length - bytes.available();
  }

  /** The class file, changed. Throws IOException unless there is exactly one such call. */
  static byte[] leadToDoor(byte[] file) throws IOException {
    return new AcceptCall(file).changed(file);
  }

  private static Object readConstant(int tag, DataInputStream in) throws IOException {
    switch (tag) {
      case TEXT:
        return in.readUTF();
      case CLASS: case 8: case 16: case 19: case 20:
        return new int[] {in.readUnsignedShort()};
      case 3: case 4: case 9: case METHOD: case 11: case NAME_AND_TYPE: case 17: case 18:
        return new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
      case 5: case 6:
        return in.readLong();
      case 15:
        return new int[] {in.readUnsignedByte(), in.readUnsignedShort()};
      default:
        throw new IOException("a constant of the unknown kind " + tag);
    }
  }

  private byte[] changed(byte[] file) throws IOException {
    int method = numberOfAccept();
    int call = -1;
    for (int at = end; at + 2 < file.length; at++) {
      if (unsigned(file[at]) == CALL_OF_AN_OBJECT && unsigned(file[at + 1]) << 8 == (method & 0xff00)
          && unsigned(file[at + 2]) == (method & 0xff)) {
        if (call >= 0) {
          throw new IOException("more than one place looks like a call of ServerSocket.accept");
        }
        call = at;
      }
    }
    if (call < 0) {
      throw new IOException("ServerSocket.accept is not called");
    }
    byte[] rest = Arrays.copyOfRange(file, end, file.length);
    int door = constants.length + 5; // the last of the constants that are added
    rest[call - end] = (byte) CALL_OF_A_CLASS;
    rest[call - end + 1] = (byte) (door >> 8);
    rest[call - end + 2] = (byte) door;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.write(file, 0, HEADER_BYTES);
    out.writeShort(constants.length + 6);
    out.write(file, HEADER_BYTES + 2, end - HEADER_BYTES - 2);
    writeDoor(out, constants.length);
    out.write(rest);
    return bytes.toByteArray();
  }

  /** The constants for Door.accept, of which the last one, the sixth, is the method. */
  private static void writeDoor(DataOutputStream out, int first) throws IOException {
    out.writeByte(TEXT);
    out.writeUTF("hiveacid/metastore/Door");
    out.writeByte(TEXT);
    out.writeUTF("accept");
    out.writeByte(TEXT);
    out.writeUTF("(Ljava/net/ServerSocket;)Ljava/net/Socket;");
    out.writeByte(CLASS);
    out.writeShort(first);
    out.writeByte(NAME_AND_TYPE);
    out.writeShort(first + 1);
    out.writeShort(first + 2);
    out.writeByte(METHOD);
    out.writeShort(first + 3);
    out.writeShort(first + 4);
  }

  private int numberOfAccept() throws IOException {
    for (int number = 1; number < constants.length; number++) {
      if (tags[number] == METHOD) {
        int[] method = (int[]) constants[number];
        int[] named = (int[]) constants[method[1]];
        Object owner = constants[((int[]) constants[method[0]])[0]];
        if ("java/net/ServerSocket".equals(owner) && "accept".equals(constants[named[0]])
            && "()Ljava/net/Socket;".equals(constants[named[1]])) {
          return number;
        }
      }
    }
    throw new IOException("ServerSocket.accept is not named");
  }

  private static int unsigned(byte value) {
    return value & 0xff;
  }
}
