package hiveacid.write

import scala.util.Random

class TaskSharesSuite extends munit.FunSuite {
  private def shares(groups: Seq[Seq[Int]], target: Long): Seq[(Int, Int, Int)] = {
    val bytes = groups.flatten.map(_.toLong).toArray
    val shares = TaskShares(groups.length, groups.head.length, 3).shares(bytes, target, together = target)
    assert(shares.forall(_.maps.isEmpty))
    shares.map(s => (s.piece, s.from, s.until))
  }

  /** Groups are what each map task sent to them. */
  private def byMaps(groups: Seq[Seq[Int]], target: Long, together: Long): Seq[(Int, Int, Int, Option[(Int, Int)])] = {
    val sent = groups.map(_.map(_.toLong).toArray)
    val shares = TaskShares(groups.length, 1, 3).shares(sent.map(_.sum).toArray, target, together, Some(sent(_)))
    shares.map(s => (s.piece, s.from, s.until, s.maps))
  }

  test("small groups share a task, and nothing has none") {
    assertEquals(shares(Seq(Seq(1, 2), Seq(3, 0), Seq(2, 2)), 100), Seq((0, 0, 6)))
    assertEquals(shares(Seq(Seq(0, 0), Seq(0, 0)), 100), Nil)
    assertEquals(shares(Seq(Seq(0, 0), Seq(0, 7), Seq(0, 0)), 100), Seq((0, 0, 6)))
  }

  test("groups of the target's size have a task each") {
    assertEquals(shares(Seq(Seq(50, 50), Seq(49, 50), Seq(50, 50)), 100), Seq((0, 0, 2), (0, 2, 4), (0, 4, 6)))
  }

  test("a group of far more than the target is split, its neighbours are not") {
    assertEquals(
      shares(Seq(Seq(1, 1, 1), Seq(100, 100, 100), Seq(2, 2, 2)), 100),
      Seq((0, 0, 3), (0, 3, 4), (1, 4, 5), (2, 5, 6), (0, 6, 9))
    )
    assertEquals(shares(Seq(Seq(70, 70, 1)), 100).length, 1)
    assertEquals(shares(Seq(Seq(75, 75, 1)), 100).length, 2)
  }

  test("what is empty belongs to the share before it, for map tasks that run again may fill it") {
    assertEquals(
      shares(Seq(Seq(0, 9, 9, 0), Seq(0, 0, 0, 0), Seq(0, 0, 1, 0)), 9),
      Seq((0, 0, 2), (1, 2, 4), (0, 4, 12))
    )
    assertEquals(shares(Seq(Seq(9, 9, 0), Seq(0, 0, 0)), 9), Seq((0, 0, 1), (1, 1, 6)))
    assertEquals(shares(Seq(Seq(0, 0), Seq(0, 0), Seq(9, 9)), 9), Seq((0, 0, 5), (1, 5, 6)))
  }

  test("there are never more pieces than slots or than are allowed, and slots without rows make none") {
    assertEquals(shares(Seq(Seq(500, 500)), 10), Seq((0, 0, 1), (1, 1, 2)))
    assertEquals(shares(Seq(Seq(0, 900, 0)), 10), Seq((0, 0, 3)))
    assertEquals(shares(Seq(Seq.fill(6)(500)), 10), Seq((0, 0, 2), (1, 2, 4), (2, 4, 6))) // the limit of pieces
  }

  test("every row is in one share, and the pieces of a group count from 0") {
    val random = new Random(7)
    for (_ <- 1 to 2000) {
      val spread = TaskShares(1 + random.nextInt(6), 1 + random.nextInt(6), 1 + random.nextInt(6))
      val bytes = Array.fill(spread.partitions)(if (random.nextInt(3) == 0) 0L else random.nextInt(200).toLong)
      val target = 1L + random.nextInt(300)
      val shares = spread.shares(bytes, target, together = 1 + random.nextInt(target.toInt))
      val covered = shares.flatMap(s => s.from until s.until)
      assertEquals(covered, if (bytes.sum == 0) Nil else bytes.indices.toList)
      assert(shares.forall(s => (s.from until s.until).map(bytes(_)).sum > 0), shares)
      val pieces = shares.scanLeft(-1)((before, s) => if (s.from % spread.slots == 0) 0 else before + 1).drop(1)
      assertEquals(shares.map(_.piece), pieces)
      assert(shares.forall(_.piece < spread.maxPieces))
    }
  }

  test("a group without slots is split by the map tasks, all of which are in a piece") {
    assertEquals(
      byMaps(Seq(Seq(1, 2), Seq(0, 100, 100, 100, 0), Seq(3, 0)), 100, 100),
      Seq(
        (0, 0, 1, None),
        (0, 1, 2, Some((0, 2))),
        (1, 1, 2, Some((2, 3))),
        (2, 1, 2, Some((3, 5))),
        (0, 2, 3, None)
      )
    )
    assertEquals(byMaps(Seq(Seq(0, 400, 0)), 100, 100), Seq((0, 0, 1, None))) // of one map task
  }

  test("what is empty beside a group that is split by map tasks is in a share of its own, or in its neighbour's") {
    val split = (from: Int) => Seq((0, from, from + 1, Some((0, 1))), (1, from, from + 1, Some((1, 2))))
    val (full, empty, small) = (Seq(9, 9), Seq(0, 0), Seq(1, 1))
    assertEquals(byMaps(Seq(empty, full, empty), 9, 9), (0, 0, 1, None) +: split(1) :+ ((0, 2, 3, None)))
    assertEquals(byMaps(Seq(full, empty, full), 9, 9), split(0) ++ Seq((0, 1, 2, None)) ++ split(2))
    assertEquals(byMaps(Seq(full, empty, small), 9, 9), split(0) :+ ((0, 1, 3, None)))
    assertEquals(byMaps(Seq(small, empty, full), 9, 9), (0, 0, 2, None) +: split(2))
    assertEquals(byMaps(Seq(empty, empty), 9, 9), Nil)
  }

  test("whole groups share a task up to fewer bytes than those from which one is split") {
    assertEquals(
      byMaps(Seq(Seq(5), Seq(4), Seq(2), Seq(9), Seq(60)), 100, 10),
      Seq((0, 0, 2, None), (0, 2, 3, None), (0, 3, 4, None), (0, 4, 5, None))
    )
  }

  test("what each map task sent to each group is in one share, and the pieces of a group count from 0") {
    val random = new Random(8)
    for (_ <- 1 to 2000) {
      val (groups, maps) = (1 + random.nextInt(6), 1 + random.nextInt(6))
      val sent = Array.fill(groups)(Array.fill(maps)(if (random.nextInt(3) == 0) 0L else random.nextInt(200).toLong))
      val target = 1L + random.nextInt(300)
      val spread = TaskShares(groups, 1, 1 + random.nextInt(6))
      val shares = spread.shares(sent.map(_.sum), target, 1 + random.nextInt(target.toInt), Some(sent(_)))
      val covered = for {
        share <- shares
        group <- share.from until share.until
        map <- share.maps.fold(0 until maps) { case (from, until) => from until until }
      } yield (group, map)
      val all = for { group <- 0 until groups; map <- 0 until maps } yield (group, map)
      assertEquals(covered, if (sent.flatten.sum == 0) Nil else all.toList)
      shares.filter(_.maps.nonEmpty).groupBy(_.from).foreach { case (_, pieces) =>
        assertEquals(pieces.map(_.piece), pieces.indices.toList)
        assert(pieces.length <= spread.maxPieces)
      }
      assert(shares.filter(_.maps.isEmpty).forall(_.piece == 0))
    }
  }

  test("the shuffle has slots for every core, and no more partitions than Spark keeps sizes of") {
    assertEquals(TaskShares.of(buckets = 1, cores = 200, maxPieces = 4096), TaskShares(1, 800, 4096))
    assertEquals(TaskShares.of(buckets = 3, cores = 8, maxPieces = 7), TaskShares(3, 32, 7))
    assertEquals(TaskShares.of(buckets = 0, cores = 8, maxPieces = 4096), TaskShares(16, 32, 4096))
    assertEquals(TaskShares.of(buckets = 0, cores = 8, maxPieces = 4096, byMaps = true), TaskShares(64, 1, 4096))
    for (buckets <- Seq(0, 1, 50, 4096); cores <- Seq(1, 2, 64, 5000))
      assert(TaskShares.of(buckets, cores, 2048).partitions <= 2000, (buckets, cores))
  }
}
