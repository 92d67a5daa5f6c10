package hiveacid.orc

/** Murmur3 of 32 bits as Hive has it (Murmur3.hash32): with a seed of its own, and bytes behind the last block of four
  * are signed, which other implementations take for numbers from 0 to 255.
  */
object HiveMurmur {
  private val Seed = 104729

  def hash(data: Array[Byte]): Int = {
    val blocks = data.length / 4
    var (hash, i) = (Seed, 0)
    while (i < blocks) {
      hash = Integer.rotateLeft(hash ^ mixed(block(data, 4 * i)), 13) * 5 + 0xe6546b64
      i += 1
    }
    finished(if (data.length % 4 == 0) hash else hash ^ mixed(tail(data, 4 * blocks)), data.length)
  }

  private def block(data: Array[Byte], at: Int): Int =
    data(at) & 0xff | (data(at + 1) & 0xff) << 8 | (data(at + 2) & 0xff) << 16 | data(at + 3) << 24

  private def tail(data: Array[Byte], from: Int): Int = {
    var (bits, i) = (0, from)
    while (i < data.length) {
      bits ^= data(i) << 8 * (i - from)
      i += 1
    }
    bits
  }

  private def mixed(block: Int): Int = Integer.rotateLeft(block * 0xcc9e2d51, 15) * 0x1b873593

  private def finished(hash: Int, length: Int): Int = {
    var h = hash ^ length
    h = (h ^ h >>> 16) * 0x85ebca6b
    h = (h ^ h >>> 13) * 0xc2b2ae35
    h ^ h >>> 16
  }
}
