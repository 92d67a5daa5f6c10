package hiveacid.formats.orc

import hiveacid.AcidOrcSuite
import hiveacid.errors.{Refusal, UnsupportedTypeException}
import hiveacid.formats.Evolution
import org.apache.orc.TypeDescription

import org.apache.spark.sql.types.{StructType, TimestampType}

/** Files that were written before the table was changed. */
class EvolutionSuite extends AcidOrcSuite {

  private def read(t: Table, ddl: String) = t.read(schema = StructType.fromDDL(ddl))

  private def written(rowType: String, query: String, ddl: String = "unused int"): Table = {
    val t = new Table(ddl, rowType)
    t.insert(spark.sql(query))
    t
  }

  test("a column that was added, dropped or moved is found by its name, whatever its case") {
    val t = written("struct<a:int,b:string,c:double>", "select 1 as a, 'x' as b, 2.5d as c")
    assertEquals(read(t, "C double, added string, A int").head().toString, "[2.5,null,1]")
    assertEquals(read(t, "added int").head().toString, "[null]")
    assertEquals(read(t, "a int, added int").where("added is null and a = 1").count(), 1L)
    assertEquals(read(t, "a int, added int").where("added = 1").count(), 0L)
  }

  test("nested fields are found by name, and elements of arrays and maps with them") {
    val t = written(
      "struct<s:struct<x:int,y:string>,l:array<struct<k:int,v:string>>,m:map<string,struct<p:int>>>",
      "select named_struct('x', 1, 'y', 'a') as s, array(named_struct('k', 2, 'v', 'b'), null) as l, " +
        "map('q', named_struct('p', 3)) as m"
    )
    val ddl = "m map<string,struct<n:string,p:bigint>>, s struct<z:int,Y:string>, l array<struct<v:string,w:date>>"
    assertEquals(
      shown(read(t, ddl).selectExpr("to_json(m)", "s", "l").head()),
      """[{"q":{"p":3}},[null,a],ArraySeq([b,null], null)]"""
    )
    assertEquals(shown(read(t, ddl).selectExpr("s.y", "l.v").head()), "[a,ArraySeq(b, null)]")
  }

  test("a file whose columns have no names is read by position") {
    val t = written("struct<_col0:int,_col1:string,_col2:double>", "select 1 as a, 'x' as b, 2.5d as c")
    t.delete("false")
    val all = read(t, "a int, b string, c double, d int")
    assertEquals(all.head().toString, "[1,x,2.5,null]")
    assertEquals(all.select("c").head().toString, "[2.5]")
    assertEquals(all.select("d", "b").head().toString, "[null,x]")
    assertEquals(all.where("b = 'x' and c > 2").select("a").head().toString, "[1]")
    assertEquals(read(t, "a bigint, b string").select("b", "a").head().toString, "[x,1]")
  }

  test("numbers widen, and everything but binary becomes text") {
    val t = written(
      "struct<a:tinyint,b:int,c:float,d:decimal(5,2),e:int,f:bigint,g:date,h:varchar(5)>",
      "select 1Y as a, 2 as b, cast(1.5 as float) as c, 3.25BD as d, 7 as e, 8L as f, date'2020-02-02' as g, 'vc' as h"
        .replace("3.25BD", "cast(3.25 as decimal(5,2))")
    )
    val ddl = "a bigint, b double, c double, d decimal(20,4), e string, f decimal(19,0), g string, h string"
    assertEquals(read(t, ddl).head().toString, "[1,2.0,1.5,3.2500,7,8,2020-02-02,vc]")
    assertEquals(read(t, ddl).where("a = 1 and b = 2 and e = '7' and d = 3.25").count(), 1L)
    assertEquals(read(t, ddl).where("a > 1 or b > 2 or e = '8'").count(), 0L)
  }

  test("text becomes a number where it is one, else NULL, and a date the timestamp of its midnight") {
    val t = written(
      "struct<a:string,b:varchar(9),c:char(9),d:string,e:date>",
      "select '12' as a, '1.5' as b, '-7' as c, 'abc' as d, date'1500-03-01' as e union all " +
        "select '300', '1e3', '', ' 12 ', null"
    )
    val ddl = "a tinyint, b double, c bigint, d decimal(10,2), e timestamp"
    withConf("spark.sql.session.timeZone" -> "UTC") {
      assertEquals(
        read(t, ddl).orderBy("b").collect().map(_.toString).toSeq,
        Seq("[12,1.5,-7,null,1500-03-01T00:00:00Z]", "[null,1000.0,null,12.00,null]")
      )
    }
    assertEquals(read(t, ddl).where("a = 12 and b > 1 and c < 0").count(), 1L)
    assertEquals(read(t, ddl).where("a is null").count(), 1L)
  }

  test("by position, a renamed column keeps its values, and filters with the new names find them") {
    val t = written("struct<a:string,b:string,c:int>", "select 'was a' as a, 'was b' as b, 5 as c")
    t.evolution = Evolution(byPosition = true)
    val swapped = "b string, a string, n bigint, added int"
    assertEquals(read(t, swapped).head().toString, "[was a,was b,5,null]")
    assertEquals(read(t, swapped).select("added", "a").head().toString, "[null,was b]")
    for (found <- Seq("b = 'was a'", "a = 'was b'", "n = 5", "added is null", "a > 'was a'"))
      assertEquals(read(t, swapped).where(found).count(), 1L, found)
    for (lost <- Seq("a = 'was a'", "b = 'was b'", "n > 5", "added = 1"))
      assertEquals(read(t, swapped).where(lost).count(), 0L, lost)
    t.evolution = Evolution()
    assertEquals(read(t, swapped).head().toString, "[was b,was a,null,null]")
  }

  test("a type of a file that is read as no other is named, and is no change of a type") {
    for (file <- Seq("timestamp with local time zone", "uniontype<int,string>")) {
      val types = new TypeMapping(asHive3 = false)
      val error = intercept[UnsupportedTypeException] {
        types.readerType(TimestampType, TimestampType, TypeDescription.fromString(file))
      }
      assertEquals(error.refusal, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.UNKNOWN_TYPE", Map("type" -> file)))
    }
  }

  test("a change of type that ORC cannot make is refused by name, and as in Hive 3.1 also what 4.x makes otherwise") {
    val t = written(
      "struct<a:string,b:bigint,c:struct<x:int>,d:date>",
      "select '1' as a, 2L as b, named_struct('x', 1) as c, date'2024-02-29' as d"
    )
    def check(refused: String*): Unit = for (ddl <- refused) {
      val error = acidError(read(t, ddl).collect())
      assertEquals(error.condition, "HIVE_ACID_UNSUPPORTED_LAYOUT.TYPE_CHANGE")
      assert(error.getMessage.contains("would have to be read as"), error.getMessage)
    }
    check("c array<int>", "b binary", "c int", "b date", "d int", "d boolean")
    assertEquals(read(t, "a date, b bigint").select("b").head().toString, "[2]")
    t.evolution = Evolution(asHive3 = true)
    check("a timestamp", "b timestamp", "a date", "a binary")
  }

  test("a timestamp becomes the text of its clock, but not as in Hive 3.1, whose text depends on a server's zone") {
    val t = written("struct<a:timestamp>", "select timestamp'1500-03-01 12:34:56.120' as a")
    for (zone <- Seq("UTC", "Asia/Kathmandu")) withConf("spark.sql.session.timeZone" -> zone) {
      val there = new Table("unused int", "struct<a:timestamp>", zone)
      there.insert(spark.sql("select timestamp'1500-03-01 12:34:56.120' as a"))
      assertEquals(read(there, "a string").head().toString, "[1500-03-01 12:34:56.12]")
      assertEquals(read(there, "a varchar(10)").where("a = '1500-03-01'").count(), 1L)
    }
    t.evolution = Evolution(asHive3 = true)
    val error = acidError(read(t, "a string").collect())
    assert(error.getMessage.contains("its type timestamp would have to be read as string"), error.getMessage)
  }

  private val asHive3 = Evolution(asHive3 = true)

  test("as in Hive 3.1, a FLOAT becomes what its digits say, nested values too, in every batch") {
    val rows = 5000
    val value = "cast(if(id % 7 = 0, null, if(id < 2000, 0.1, id / 8192)) as float)"
    val many =
      s"transform(sequence(0, if(id = 3, 2999, id % 3)), e -> if(e % 5 = 4, null, cast((id + e) / 10 as float)))"
    val t = written(
      "struct<id:bigint,d:float,e:float,t:float,v:float,s:struct<f:float,x:int>,l:array<float>,m:map<int,float>>",
      s"select id, $value as d, $value as e, $value as t, $value as v, named_struct('f', $value, 'x', 1) as s, " +
        s"$many as l, map_from_arrays(sequence(0, size($many) - 1), $many) as m from range(0, $rows, 1, 1)",
      "id bigint"
    )
    t.delete("id = 11")
    val ddl = "id bigint, d double, e decimal(10,6), t string, v varchar(4), s struct<f:double,x:int>, " +
      "l array<double>, m map<int,string>"
    val plain = read(t, "id bigint, d float, s struct<f:float,x:int>, l array<float>").selectExpr(
      "id",
      "cast(cast(d as string) as double) as d",
      "cast(cast(d as string) as decimal(10,6)) as e",
      "cast(d as string) as t",
      "substr(cast(d as string), 1, 4) as v",
      "named_struct('f', cast(cast(s.f as string) as double), 'x', 1) as s",
      "transform(l, f -> cast(cast(f as string) as double)) as l",
      "to_json(map_from_arrays(sequence(0, size(l) - 1), transform(l, f -> cast(f as string)))) as m"
    )
    t.evolution = asHive3
    val found = read(t, ddl).selectExpr("id", "d", "e", "t", "v", "s", "l", "to_json(m) as m")
    assertEquals(found.count(), rows - 1L)
    assertEquals(found.exceptAll(plain).collect().toSeq, Nil)
    assertEquals(read(t, ddl).where("d = 0.1d and t = '0.1' and e = 0.1 and s.f = 0.1d").count(), 1713L)
    assertEquals(
      read(t, ddl).where("id = 3").selectExpr("size(l)", "l[2999]", "m[2998]").head().toString,
      "[3000,null,300.1]"
    )
    t.evolution = Evolution()
    assertEquals(read(t, ddl).where("d = 0.1d").count(), 0L)
  }

  test("as in Hive 3.1, what is no DECIMAL and no text is NULL, and what becomes a FLOAT is rounded once") {
    val t = written(
      "struct<f:float,g:float,h:float,b:bigint,t:string,c:char(8)>",
      "select float('NaN') as f, float('Infinity') as g, float('1.0E20') as h, 9007199791611905 as b, " +
        "'1.00000017881393432617187499' as t, 'none' as c union all select float(1.5), float('-0.0'), float(2.25), null, '1e3', ' 7.5 '"
    )
    t.evolution = asHive3
    val ddl = "f string, g decimal(10,2), h decimal(5,1), b float, t float, c float"
    assertEquals(
      read(t, ddl).orderBy("f").collect().map(_.toString).toSeq,
      Seq("[null,null,null,9.0072003E15,1.0000001,null]", "[1.5,0.00,2.3,null,1000.0,7.5]")
    )
  }

  test("as in Hive 3.1, the text of a date is of the hybrid calendar") {
    val t = written("struct<a:date,b:date>", "select date'1582-10-14' as a, date'1500-03-01' as b")
    assertEquals(read(t, "a string, b char(7)").head().toString, "[1582-10-14,1500-03]")
    t.evolution = asHive3
    assertEquals(read(t, "a string, b char(7)").head().toString, "[1582-10-04,1500-02]")
  }
}
