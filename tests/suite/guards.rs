//! What a file must not do to a codec that binrw generates: overflow an expression, or allocate memory for a false
//! count. Numbers of 128 bits, and the names and counts in printed schemas.

use std::ops::ControlFlow;

use binrw::{binrw, io::SeekFrom};
use meshspec::layout::assemble::FileValues;
use meshspec::layout::declaration::Type;
use meshspec::layout::dump::Dump;
use meshspec::layout::expr::Value;
use meshspec::layout::schema::Schema;
use meshspec::layout::walk::{Node, Visitor};
use meshspec::layout::{self, Layout, generate, walk};
use meshspec::{
    BinaryFormat, ErrorKind, Format, Formats, Limit, Limits, ReadOptions, Report, Rule, Severity, path,
};

static RULE: Rule = Rule::new("GUARDS-RULE", Severity::Error, "A rule.");

/// Implements `BinaryFormat`, and reads and checks bytes as every declared format.
macro_rules! formats {
    ($($name:literal $format:ident)*) => {
        $(impl BinaryFormat for $format {
            const NAME: &'static str = $name;
            const RULES: &'static [&'static Rule] = &[&RULE];
        })*

        /// None of this may panic, and a file that is read has no errors.
        fn try_all(bytes: &[u8]) {
            let limits = Limits::default().with_max_empty_items(100);
            let options = ReadOptions::default().with_limits(limits);
            $(
                let read = $format::read(bytes, &options);
                let report = $format::check_decoded(bytes, &options);
                assert!(read.is_err() || report.is_ok_and(|report| report.errors() == 0), $name);
            )*
        }
    };
}

formats! {
    "long" Long
    "product" Product
    "quotient" Quotient
    "remainder" Remainder
    "difference" Difference
    "shift" Shift
    "negation" Negation
    "guarded" Guarded
    "argument" Argument
    "calculated" Calculated
    "terms" Terms
    "offset" Offset
    "variants" Variants
    "empties" Empties
    "wrapped" Wrapped
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Long {
    n: u64,
    #[br(count = n)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Product {
    a: u32,
    b: u32,
    #[br(count = a * b)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Quotient {
    a: i32,
    b: i32,
    #[br(count = a / b)]
    data: Vec<u16>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Remainder {
    a: i32,
    b: i32,
    #[br(count = a % b)]
    data: Vec<u16>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Difference {
    a: u8,
    #[br(count = a - 1)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Shift {
    bits: u8,
    #[br(count = 1 << bits)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Negation {
    a: i8,
    #[br(count = -a)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Guarded {
    a: u32,
    b: u32,
    has: u8,
    #[br(if(has != 0), count = a * b)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Argument {
    a: u8,
    has: u8,
    #[br(if(has != 0), args(a + 1))]
    inner: Option<Inner>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Calculated {
    a: u8,
    b: u8,
    #[br(calc = a * b)]
    #[bw(ignore)]
    area: u8,
    #[br(if(b != 0))]
    end: Option<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Terms {
    a: u8,
    b: u8,
    #[br(assert(a + b < 255, "too many"))]
    c: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Offset {
    offset: u64,
    #[br(count = 1, seek_before = SeekFrom::Start(offset + 8), restore_position)]
    #[bw(seek_before = SeekFrom::Start(*offset), restore_position)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Variants {
    a: u8,
    #[br(args(a))]
    choice: Choice,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Empties {
    flags: u8,
    count: u32,
    #[br(count = count, args { inner: (flags,) })]
    items: Vec<Perhaps>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Wrapped {
    flags: u8,
    count: u32,
    #[br(count = count, args { inner: (flags,) })]
    items: Vec<Many>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(a: u8))]
struct Inner {
    #[br(if(a > 1))]
    b: Option<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(a: u8))]
enum Choice {
    #[br(pre_assert(a + 1 == 0))]
    Never(u8),
    #[br(pre_assert(true))]
    Always(u8),
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(flags: u8))]
struct Perhaps {
    #[br(if(flags == 1))]
    a: Option<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(flags: u8))]
struct Many {
    #[br(count = 10, args { inner: (flags,) })]
    items: Vec<Perhaps>,
}

fn two(a: u32, b: u32) -> Vec<u8> {
    [&a.to_le_bytes()[..], &b.to_le_bytes(), b"abc"].concat()
}

fn error_of<T: BinaryFormat>(bytes: &[u8]) -> String {
    <T as Format>::read(bytes, &ReadOptions::default()).err().unwrap().to_string()
}

#[test]
fn false_counts_are_errors() {
    for count in [4, 1 << 40, 1 << 63, u64::MAX] {
        let file = [&count.to_le_bytes()[..], b"abc"].concat();
        assert!(error_of::<Long>(&file).contains(&format!("needs {count} bytes, but 3 remain")));
        assert!(layout::read::<Long>(&file, &ReadOptions::default()).is_err());
    }
}

/// Some of these products wrap to small numbers in release builds of a codec.
#[test]
fn overflows_of_the_declared_type_are_errors() {
    const OVERFLOW: &str = "cannot be computed: an overflow of its integer type, or a division by 0";
    let min = i32::MIN as u32;
    let errors = [
        error_of::<Product>(&two(1 << 31, 4)),
        error_of::<Product>(&two(1 << 16, 1 << 16)),
        error_of::<Quotient>(&two(8, 0)),
        error_of::<Quotient>(&two(min, u32::MAX)),
        error_of::<Remainder>(&two(8, 0)),
        error_of::<Remainder>(&two(min, u32::MAX)),
        error_of::<Difference>(&[0, 1]),
        error_of::<Shift>(&[32, 1]),
        error_of::<Negation>(&[0x80, 1]),
        error_of::<Offset>(&[0xff; 8]),
        error_of::<Variants>(&[255, 1]),
    ];
    for error in errors {
        assert!(error.contains(OVERFLOW), "{error}");
    }
    assert!(error_of::<Terms>(&[200, 100, 1]).contains("too many"));
    assert!(error_of::<Calculated>(&[20, 20, 1]).contains("overflow of its integer type"));
    assert!(Product::read(&two(1, 3), &ReadOptions::default()).is_ok());
    assert!(Remainder::read(&two(8, 8)[..8], &ReadOptions::default()).is_ok());
    assert!(Shift::read(&[1, 7, 8], &ReadOptions::default()).is_ok());
    assert!(Calculated::read(&[15, 17, 1], &ReadOptions::default()).is_ok());
    assert!(Variants::read(&[254, 1], &ReadOptions::default()).is_ok());
}

/// binrw computes counts and arguments before it tests the condition.
#[test]
fn overflows_after_a_false_condition_are_errors() {
    let file = [&two(1 << 31, 4)[..8], &[0]].concat();
    assert!(error_of::<Guarded>(&file).contains("data"), "{}", error_of::<Guarded>(&file));
    let report = Guarded::check_decoded(&file, &ReadOptions::default()).unwrap();
    assert_eq!(report.count_of("LAYOUT-VALUE"), 1);
    assert!(error_of::<Argument>(&[255, 0]).contains("inner"));
    assert!(Argument::read(&[254, 0], &ReadOptions::default()).is_ok());
    // A walk without a codec needs no value for an absent field.
    assert_eq!(walk::first_fault(&Guarded::TYPE, &file, &Limits::default()), None);
}

#[test]
fn items_without_bytes_count_against_a_limit() {
    let file = |flags: u8, count: u32| [&[flags][..], &count.to_le_bytes()].concat();
    let options = ReadOptions::default();
    assert_eq!(Empties::read(&file(0, 5), &options).unwrap().items.len(), 5);
    let error = Empties::read(&file(0, u32::MAX), &options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::EmptyItems));
    assert!(error.to_string().contains("has 4294967295 items without bytes"), "{error}");
    // The items of the items count, too.
    let limits = Limits::default().with_max_empty_items(25);
    let options = ReadOptions::default().with_limits(limits);
    assert_eq!(Wrapped::read(&file(0, 2), &options).unwrap().items.len(), 2);
    assert!(Wrapped::read(&file(0, 3), &options).is_err());
    let narrow = ReadOptions::default().with_limits(Limits::default().with_max_empty_items(4));
    assert!(Empties::read(&file(0, 5), &narrow).is_err());
    assert!(Empties::read(&file(0, 4), &narrow).is_ok());
    assert!(Empties::read(&[&file(1, 5)[..], b"abcde"].concat(), &narrow).is_ok());
    // Every item has a path.
    let span = walk::find(&Empties::TYPE, &file(0, 5), path!(items[4]), &Limits::default());
    assert_eq!(span.unwrap().range(), &(5..5));
}

/// Without a limit, a walk over each of four billion items would take minutes.
#[test]
fn items_without_bytes_are_not_walked_one_by_one() {
    let limits = Limits::default().with_max_empty_items(u64::MAX);
    let file = [&[0][..], &u32::MAX.to_le_bytes()].concat();
    assert_eq!(walk::first_fault(&Empties::TYPE, &file, &limits), None);
    let last = walk::find(&Empties::TYPE, &file, path!(items[4294967294]), &limits);
    assert_eq!(last.unwrap().range(), &(5..5));
    let mut report = Report::new(&limits);
    layout::check_bytes(&Empties::TYPE, &file, &limits, &mut report).unwrap();
    assert!(report.findings().is_empty());
}

/// A list of items at the same offset.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Shared {
    count: u8,
    #[br(count = count)]
    items: Vec<Placed>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Placed {
    #[brw(seek_before = SeekFrom::Start(0), restore_position)]
    first: u8,
}

/// Counts values, and needs no items without content.
struct LeafCount(usize);

impl Visitor for LeafCount {
    fn should_visit_empty_items(&self) -> bool {
        false
    }

    fn visit_leaf(&mut self, _: &Node, _: &Value) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Continue(())
    }
}

#[test]
fn fields_at_offsets_are_visited_in_every_item() {
    let mut leaves = LeafCount(0);
    walk::walk(&Shared::TYPE, &[3], &Limits::default(), &mut leaves).unwrap();
    assert_eq!(leaves.0, 4);
}

#[test]
fn corpora_of_items_without_bytes_are_generated() {
    let formats = Formats::new().with::<Empties>().unwrap();
    let format = formats.get("empties").unwrap();
    let config = generate::Config { large_items: 70_000, ..Default::default() };
    const TYPE: &Type = &Empties::TYPE;
    for choices in [vec![], vec![1; 64], vec![u64::MAX; 64]] {
        let file = generate::file(TYPE, &choices, &config).unwrap();
        assert_eq!(format.check(&file, &ReadOptions::default()).unwrap().errors(), 0);
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_a_generated_codec_panic(
        mut bytes in proptest::collection::vec(proptest::sample::select(vec![0, 1, 2, 127, 128, 255]), 0..24),
        small in 0..3_usize,
    ) {
        // Small numbers in front reach the fields after them.
        bytes.iter_mut().skip(small).take(3).for_each(|byte| *byte &= 3);
        // Walks over a million items without bytes take seconds in unoptimised builds.
        if let [_, _, _, fourth, 0, ..] = &mut bytes[..] {
            *fourth = 0;
        }
        try_all(&bytes);
    }
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Wide {
    #[layout(at_least = 1, rule = RULE)]
    hash: u128,
    #[br(count = (hash >> 120) as u8 & 1)]
    data: Vec<u8>,
}

#[test]
fn numbers_of_128_bits_are_unsigned() {
    let file = [0xff; 17];
    let number = u128::MAX.to_string();
    assert!(layout::check::<Wide>(&file, &ReadOptions::default()).unwrap().findings().is_empty());
    assert!(layout::read::<Wide>(&file, &ReadOptions::default()).is_ok());
    let mut text = Vec::new();
    assert_eq!(Dump::new(&Wide::TYPE, &file).write_text(&mut text, false).unwrap(), None);
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(&number) && !text.contains("-1"), "{text}");
    let mut values = FileValues::new(&Wide::TYPE);
    values.set("hash", number.as_str()).unwrap();
    values.set("data[0]", "255").unwrap();
    assert_eq!(values.assemble(&Default::default()).unwrap(), file);
}

#[derive(Layout)]
#[binrw]
#[brw(big)]
struct WideLimits {
    #[layout(below = 0xf000_0000_0000_0000_0000_0000_0000_0000u128, rule = RULE)]
    below: u128,
    #[layout(at_least = 0xf000_0000_0000_0000_0000_0000_0000_0000, rule = RULE)]
    at_least: u128,
    #[layout(one_of(1, 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_ffff), rule = RULE)]
    one_of: u128,
}

#[test]
fn limits_of_128_bits_are_unsigned() {
    const TYPE: &Type = &WideLimits::TYPE;
    let limit = 0xf0_u128 << 120;
    let findings = |below: u128, at_least: u128, one_of: u128| -> Vec<String> {
        let file = [below, at_least, one_of].map(u128::to_be_bytes).concat();
        let report = layout::check::<WideLimits>(&file, &ReadOptions::default()).unwrap();
        report.findings().iter().map(|finding| format!("{}: {}", finding.path, finding.message)).collect()
    };
    assert_eq!(findings(limit - 1, limit, u128::MAX), [""; 0]);
    assert_eq!(findings(0, u128::MAX, 1), [""; 0]);
    assert_eq!(
        findings(limit, limit - 1, u128::MAX - 1),
        [
            format!("below: found {limit}, expected less than {limit}"),
            format!("at_least: found {}, expected at least {limit}", limit - 1),
            format!("one_of: found {}, expected 1 or {}", u128::MAX - 1, u128::MAX),
        ]
    );
    assert_eq!(findings(5, 5, 5).len(), 2);
    for choices in [vec![], vec![1; 64], vec![u64::MAX; 64]] {
        let file = generate::file(TYPE, &choices, &Default::default()).unwrap();
        assert!(layout::check::<WideLimits>(&file, &ReadOptions::default()).unwrap().findings().is_empty());
    }
    assert!(schema(Schema::Markdown, TYPE).contains(&limit.to_string()));
}

/// The last comment ends here: */ int x; /*
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[allow(non_snake_case)]
struct Words {
    null: u8,
    yes: u8,
    class: u8,
    /// A field */ with /* an end.
    numVerts: i8,
    #[br(count = numVerts)]
    list: Vec<u8>,
}

fn schema(schema: Schema, ty: &'static Type) -> String {
    schema.print("words", "Words", &[("words", ty)]).remove(0).text
}

#[test]
fn names_and_counts_are_valid_in_kaitai() {
    const TYPE: Type = Words::TYPE;
    let text = schema(Schema::Kaitai, const { &TYPE });
    for id in ["null_value", "yes_value", "class_value", "num_verts", "list"] {
        assert!(text.contains(&format!("- id: {id}\n")), "{text}");
    }
    assert!(text.contains("size: 'num_verts'") && !text.contains("- id: null\n"), "{text}");
    assert!(text.contains("- id: check_list_count\n"), "{text}");
    assert!(text.contains("expr: 'num_verts >= 0'"), "{text}");
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[allow(non_snake_case)]
struct SimilarNames {
    numVerts: u8,
    num_verts: u8,
    NumVerts: u8,
    num_verts_2: u8,
    #[br(count = numVerts)]
    first: Vec<u8>,
    #[br(count = num_verts)]
    second: Vec<u8>,
    #[br(count = NumVerts, args { inner: (numVerts,) })]
    third: Vec<SimilarImports>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(numVerts: u8))]
#[allow(non_snake_case)]
struct SimilarImports {
    #[br(if(numVerts > 1))]
    value: Option<u8>,
}

#[test]
fn names_are_distinct_in_kaitai() {
    const TYPE: &Type = &SimilarNames::TYPE;
    let text = schema(Schema::Kaitai, TYPE);
    for id in ["num_verts", "num_verts_2", "num_verts_3", "num_verts_4"] {
        assert_eq!(
            text.matches(&format!("- id: {id}\n")).count(),
            if id == "num_verts_3" { 2 } else { 1 },
            "{text}"
        );
    }
    for line in
        ["size: 'num_verts_3'", "size: 'num_verts'", "repeat-expr: 'num_verts_4'", "if: 'num_verts_3 > 1'"]
    {
        assert!(text.contains(&format!("{line}\n")), "{line}: {text}");
    }
}

#[test]
fn documentation_never_ends_a_comment_in_c() {
    const TYPE: Type = Words::TYPE;
    let text = schema(Schema::C, const { &TYPE });
    assert_eq!(text.matches("/*").count(), text.matches("*/").count());
    assert!(text.contains("* / int x; / *"), "{text}");
}
