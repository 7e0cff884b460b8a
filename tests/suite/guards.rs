//! Protection of the codecs that binrw generates: false counts and overflows are errors of the file, not panics or
//! allocations. Numbers of 128 bits. Names and counts in printed schemas.

use std::ops::ControlFlow;

use binrw::{binrw, io::SeekFrom};
use meshspec::conformance::corpus::{Config, Corpus};
use meshspec::layout::declaration::Type;
use meshspec::layout::dump::Dump;
use meshspec::layout::expr::Value;
use meshspec::layout::schema::Schema;
use meshspec::layout::tree::Tree;
use meshspec::layout::walk::{FaultKind, Node, Visit, Visitor};
use meshspec::layout::{self, Layout, generate, walk};
use meshspec::{
    BinaryFormat, Dialect, ErrorKind, Format, Limit, Limits, ReadOptions, Report, Rule, Severity,
    path,
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
    "absent" Absent
    "absent_variant" AbsentVariant
    "absent_enum" AbsentEnum
    "chain" Chain
    "outer" Outer
    "widened" Widened
    "narrowed" Narrowed
    "peeks" Peeks
    "shared_lists" SharedLists
    "tail" Tail
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

/// Without `has`, a codec sees the kind 0, and reads the data.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Absent {
    has: u8,
    #[br(if(has != 0))]
    #[bw(if(*has != 0))]
    kind: u8,
    n: u64,
    #[br(if(kind == 0), count = n)]
    #[bw(if(*kind == 0))]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct AbsentVariant {
    has: u8,
    #[br(if(has != 0))]
    #[bw(if(*has != 0))]
    kind: u8,
    n: u64,
    #[br(args(kind, n))]
    data: ListOrByte,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(kind: u8, n: u64))]
enum ListOrByte {
    #[br(pre_assert(kind == 0))]
    List(#[br(count = n)] Vec<u8>),
    #[br(pre_assert(true))]
    Byte(u8),
}

/// The default of an enum need not be its first value.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct AbsentEnum {
    has: u8,
    #[br(if(has != 0))]
    #[bw(if(*has != 0))]
    kind: Kind,
    n: u64,
    #[br(if(kind == Kind::List), count = n)]
    #[bw(if(*kind == Kind::List))]
    data: Vec<u8>,
}

#[derive(Layout, Default, PartialEq)]
#[binrw]
#[brw(repr = u8)]
enum Kind {
    Nothing = 0,
    #[default]
    List = 1,
}

/// The area is computed from a computed value.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Chain {
    a: u8,
    #[br(calc = a as u16 * 2)]
    #[bw(ignore)]
    twice: u16,
    #[br(calc = twice * 200)]
    #[bw(ignore)]
    area: u16,
    b: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Outer {
    a: u8,
    #[br(args(a))]
    inner: OnlyComputed,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(a: u8))]
struct OnlyComputed {
    #[br(calc = a + 1)]
    #[bw(ignore)]
    next: u8,
}

#[binrw::parser(reader, endian)]
fn read_byte() -> binrw::BinResult<u32> {
    binrw::BinRead::read_options(reader, endian, ()).map(|number: u8| number.into())
}

#[binrw::parser(reader, endian)]
fn read_low_byte() -> binrw::BinResult<u8> {
    binrw::BinRead::read_options(reader, endian, ()).map(|number: u32| number as u8)
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Widened {
    #[br(parse_with = read_byte)]
    #[bw(map = |n: &u32| *n as u8)]
    #[layout(stored_as = u8)]
    n: u32,
    #[br(count = n * 2)]
    data: Vec<u8>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Narrowed {
    #[br(parse_with = read_low_byte)]
    #[bw(map = |n: &u8| u32::from(*n))]
    #[layout(stored_as = u32)]
    n: u8,
    #[br(count = n * 2)]
    data: Vec<u8>,
}

/// Each item looks ahead at bytes that the size of the item excludes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Peeks {
    n: u64,
    count: u8,
    #[br(count = count, args { inner: (n,) })]
    items: Vec<Peek>,
    rest: [u8; 9],
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(n: u64))]
struct Peek {
    #[br(restore_position, count = n)]
    #[bw(ignore)]
    ahead: Vec<u8>,
    value: u8,
}

/// Lists that share their bytes.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct SharedLists {
    count: u32,
    size: u32,
    #[br(count = count, args { inner: (size,) })]
    items: Vec<SharedList>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
#[br(import(size: u32))]
struct SharedList {
    #[br(count = size, seek_before = SeekFrom::Start(0), restore_position)]
    #[bw(ignore)]
    data: Vec<u8>,
}

/// A list that runs to the end.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Tail {
    flags: u8,
    #[br(parse_with = binrw::helpers::until_eof, args(flags))]
    #[layout(stored_as = Vec<Perhaps>)]
    items: Vec<Perhaps>,
}

fn two(a: u32, b: u32) -> Vec<u8> {
    [&a.to_le_bytes()[..], &b.to_le_bytes(), b"abc"].concat()
}

fn error_of<T: BinaryFormat>(bytes: &[u8]) -> String {
    <T as Format>::read(bytes, &ReadOptions::default())
        .err()
        .unwrap()
        .to_string()
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
    const OVERFLOW: &str =
        "cannot be computed: an overflow of its integer type, or a division by 0";
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
    assert!(
        error_of::<Calculated>(&[20, 20, 1]).contains("`area` cannot be computed: an overflow")
    );
    assert!(error_of::<Chain>(&[164, 1]).contains("`area` cannot be computed: an overflow"));
    assert!(Chain::read(&[163, 1], &ReadOptions::default()).is_ok());
    assert!(error_of::<Outer>(&[255]).contains("`next` cannot be computed: an overflow"));
    assert!(Outer::read(&[254], &ReadOptions::default()).is_ok());
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
    assert!(
        error_of::<Guarded>(&file).contains("data"),
        "{}",
        error_of::<Guarded>(&file)
    );
    let report = Guarded::check_decoded(&file, &ReadOptions::default()).unwrap();
    assert_eq!(report.count_of("LAYOUT-VALUE"), 1);
    assert!(error_of::<Argument>(&[255, 0]).contains("inner"));
    assert!(Argument::read(&[254, 0], &ReadOptions::default()).is_ok());
    // A walk without a codec needs no value for an absent field.
    assert_eq!(
        walk::first_fault(&Guarded::TYPE, &file, &Limits::default()),
        None
    );
}

/// Asserts for each check that a list is read with the first number in its last item, and rejected with the second, with
/// which the check overflows.
macro_rules! assert_checks_of_items_overflow {
    ($a:ident, $b:ident: $($good:literal $bad:literal ($($check:tt)+))*) => {$({
        #[derive(Layout)]
        #[binrw]
        #[brw(little)]
        struct Item {
            $a: i8,
            #[br(assert($($check)+, "out of range"))]
            $b: i8,
        }

        #[derive(Layout)]
        #[binrw]
        #[brw(little)]
        struct List {
            #[br(count = 2)]
            items: Vec<Item>,
        }

        let read = |b: i8| layout::read::<List>(&[3, 1, 3, b as u8], &ReadOptions::default());
        let check = stringify!($($check)+);
        assert!(read($good).is_ok(), "{check}");
        let error = read($bad).err().unwrap().to_string();
        assert!(error.contains("items[1].b") && error.contains("out of range"), "{check}: {error}");
    })*};
}

/// Items of fixed size are walked before a codec reads them, unless their checks cannot overflow.
#[test]
fn overflows_in_checks_of_items_are_errors() {
    assert_checks_of_items_overflow! {
        a, b:
        1 127 (a + b > 0)
        1 -128 (b - a < 127)
        1 127 (a * b > 0)
        1 0 (a / b < 100)
        1 0 (a % b < 100)
        1 -128 (-b < 127)
        1 8 (a << b > 0)
        1 8 (a >> b < 100)
    }
}

/// A codec computes in the type of the field, not in the stored type.
#[test]
fn converted_numbers_overflow_as_in_rust() {
    let file = [&[200][..], &[7; 400]].concat();
    assert_eq!(
        Widened::read(&file, &ReadOptions::default())
            .unwrap()
            .data
            .len(),
        400
    );
    assert!(
        error_of::<Narrowed>(&[200, 0, 0, 0]).contains("the count cannot be computed: an overflow")
    );
}

#[test]
fn absent_numbers_are_0() {
    let file = |has: u8, n: u64| [&[has][..], &n.to_le_bytes(), b"abc"].concat();
    let file_of_kind = |kind: u8, n: u64| [&[1, kind][..], &n.to_le_bytes(), b"abc"].concat();
    for n in [4, 1 << 40, u64::MAX] {
        let needed = format!("needs {n} bytes, but 3 remain");
        assert!(error_of::<Absent>(&file(0, n)).contains(&needed));
        assert!(error_of::<AbsentVariant>(&file(0, n)).contains(&needed));
        assert!(error_of::<Absent>(&file_of_kind(0, n)).contains(&needed));
    }
    assert_eq!(
        Absent::read(&file(0, 3), &ReadOptions::default())
            .unwrap()
            .data,
        b"abc"
    );
    let read = AbsentVariant::read(&file(0, 3), &ReadOptions::default()).unwrap();
    assert!(matches!(read.data, ListOrByte::List(list) if list == b"abc"));
    assert!(
        Absent::read(&file_of_kind(1, u64::MAX)[..10], &ReadOptions::default())
            .unwrap()
            .data
            .is_empty()
    );
    let message = "the condition cannot be computed: a value is missing";
    assert!(error_of::<AbsentEnum>(&file(0, u64::MAX)).contains(message));
    assert!(AbsentEnum::read(&file_of_kind(0, u64::MAX)[..10], &ReadOptions::default()).is_ok());
    for choices in [vec![], vec![1; 64], vec![u64::MAX; 64]] {
        const TYPE: &Type = &Absent::TYPE;
        let file = generate::file(TYPE, &choices, &Default::default()).unwrap();
        assert!(Absent::read(&file, &ReadOptions::default()).is_ok());
    }
}

#[test]
fn lists_to_the_end_have_an_end() {
    let message = "an item has no bytes, so the list never ends";
    assert!(error_of::<Tail>(&[0]).contains(message));
    assert!(error_of::<Tail>(&[0, 1]).contains(message));
    assert_eq!(
        Tail::read(&[1, 2, 3], &ReadOptions::default())
            .unwrap()
            .items
            .len(),
        2
    );
    assert!(
        Tail::read(&[1], &ReadOptions::default())
            .unwrap()
            .items
            .is_empty()
    );
    assert!(
        Tail::check_decoded(&[0], &ReadOptions::default())
            .unwrap()
            .errors()
            > 0
    );
}

#[test]
fn shared_bytes_count_against_a_limit() {
    let options = ReadOptions::default().with_limits(Limits::default().with_max_decoded(1 << 10));
    let lists = |count: u32| [&count.to_le_bytes()[..], &16_u32.to_le_bytes(), &[7; 8]].concat();
    assert_eq!(
        SharedLists::read(&lists(64), &options).unwrap().items.len(),
        64
    );
    let fault = walk::first_fault(&SharedLists::TYPE, &lists(65), &options.limits).unwrap();
    assert_eq!(fault.kind, FaultKind::Limit);
    let error = SharedLists::read(&lists(65), &options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::Decoded));
    // A million lists of 64 KiB.
    let file = [
        &(1_u32 << 20).to_le_bytes()[..],
        &(1_u32 << 16).to_le_bytes(),
        &vec![7; 1 << 16],
    ]
    .concat();
    assert!(SharedLists::read(&file, &ReadOptions::default()).is_err());
    // The content of a file is checked within the limits of the caller.
    let mut report = Report::default();
    let checked =
        SharedLists::check_content(&lists(65), Dialect::SPEC, &options.limits, &mut report);
    assert_eq!(
        checked.unwrap_err().kind(),
        ErrorKind::LimitExceeded(Limit::Decoded)
    );
    assert!(report.findings().is_empty());

    let peeks = |n: u64, count: u8| {
        [
            &n.to_le_bytes()[..],
            &[count],
            &vec![7; usize::from(count) + 9],
        ]
        .concat()
    };
    let error = Peeks::read(&peeks(1 << 40, 1), &options).err().unwrap();
    assert!(
        error.to_string().contains("needs 1099511627776 bytes"),
        "{error}"
    );
    let limited = ReadOptions::default().with_limits(Limits::default().with_max_decoded(41));
    assert!(Peeks::read(&peeks(10, 4), &limited).is_ok());
    assert!(Peeks::read(&peeks(10, 5), &limited).is_err());
}

#[test]
fn items_without_bytes_count_against_a_limit() {
    let file = |flags: u8, count: u32| [&[flags][..], &count.to_le_bytes()].concat();
    let options = ReadOptions::default();
    assert_eq!(Empties::read(&file(0, 5), &options).unwrap().items.len(), 5);
    let error = Empties::read(&file(0, u32::MAX), &options).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::EmptyItems));
    assert!(
        error
            .to_string()
            .contains("has 4294967295 items without bytes"),
        "{error}"
    );
    let error = Empties::check_decoded(&file(0, u32::MAX), &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded(Limit::EmptyItems));
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
    let span = walk::find(
        &Empties::TYPE,
        &file(0, 5),
        path!(items[4]),
        &Limits::default(),
    );
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

/// A list of items that only look ahead.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct OnlyPeeks {
    count: u8,
    #[br(count = count)]
    items: Vec<OnlyPeek>,
    next: u8,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct OnlyPeek {
    #[br(restore_position)]
    #[bw(ignore)]
    ahead: u8,
}

/// Counts structs and lists, and needs no items without content.
struct GroupCount(usize);

impl Visitor for GroupCount {
    fn should_visit_empty_items(&self) -> bool {
        false
    }

    fn enter(&mut self, _: &Node) -> Visit {
        self.0 += 1;
        Visit::All
    }
}

#[test]
fn look_aheads_are_no_content() {
    let mut groups = GroupCount(0);
    walk::walk(&OnlyPeeks::TYPE, &[9, 1], &Limits::default(), &mut groups).unwrap();
    // The struct, the list and its first item.
    assert_eq!(groups.0, 3);
    assert_eq!(
        layout::read::<OnlyPeeks>(&[9, 1], &ReadOptions::default())
            .unwrap()
            .items
            .len(),
        9
    );
}

#[test]
fn counts_of_items_without_bytes_are_small() {
    let config = generate::Config::large();
    const TYPE: &Type = &Empties::TYPE;
    let counts = [
        vec![],
        vec![1; 64],
        vec![3; 64],
        vec![u64::MAX; 64],
        vec![u64::MAX - 1; 64],
    ]
    .map(|choices| {
        let file = generate::file(TYPE, &choices, &config).unwrap();
        u64::from(u32::from_le_bytes(file[1..5].try_into().unwrap()))
    });
    assert!(
        counts.iter().all(|count| *count <= config.max_items),
        "{counts:?}"
    );
    assert!(counts.iter().any(|count| *count > 1), "{counts:?}");
}

#[test]
#[ignore = "takes a minute of processor time: `.ci/run` runs it"]
fn corpora_of_items_without_bytes_are_generated() {
    let corpus = Corpus::of(meshspec::format_of::<Empties>(), &Config::default()).unwrap();
    assert!(!corpus.cases.is_empty());
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
    assert!(
        layout::check::<Wide>(&file, &ReadOptions::default())
            .unwrap()
            .findings()
            .is_empty()
    );
    assert!(layout::read::<Wide>(&file, &ReadOptions::default()).is_ok());
    let mut text = Vec::new();
    assert_eq!(
        Dump::new(&Wide::TYPE, &file)
            .write_text(&mut text, false)
            .unwrap(),
        None
    );
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(&number) && !text.contains("-1"), "{text}");
    let json = crate::common::json_of(&Dump::new(&Wide::TYPE, &file));
    let text = String::from_utf8_lossy(&json);
    assert!(text.contains(&format!("{{\"$value\": {number}")), "{text}");
    let tree = Tree::from_json(&Wide::TYPE, &json).unwrap();
    assert_eq!(tree.assemble(&Default::default()).unwrap(), file);
    let mut values = Tree::new(&Wide::TYPE);
    values.set("hash", number.as_str()).unwrap();
    values.set("data[0]", "255").unwrap();
    assert_eq!(values.assemble(&Default::default()).unwrap(), file);
}

/// Constraints that compare and compute with unsigned numbers above `i128::MAX`.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct WideConditions {
    #[layout(holds(hash < 5), message = "{found}", rule = RULE)]
    hash: u128,
    a: u64,
    #[layout(holds(a * b < 5), message = "{found}", rule = RULE)]
    b: u64,
    #[layout(holds(((sum >> 120) as u8) < 5), message = "{found}", rule = RULE)]
    sum: u128,
}

#[test]
fn words_without_a_declaration_are_unsigned_numbers() {
    assert_eq!(
        [
            Value::bits::<u16>(&[0xfe, 0xff]),
            Value::bits::<u128>(&[0xff; 16])
        ],
        [Value::Int(0xfffe), Value::Wide(u128::MAX)]
    );
}

#[test]
fn conditions_of_128_bits_are_checked() {
    let violations = |hash: u128, a: u64, b: u64, sum: u128| -> Vec<String> {
        let numbers = [a, b].map(u64::to_le_bytes).concat();
        let file = [&hash.to_le_bytes()[..], &numbers, &sum.to_le_bytes()].concat();
        let report = layout::check::<WideConditions>(&file, &ReadOptions::default()).unwrap();
        report
            .findings()
            .iter()
            .map(|finding| finding.path.to_string())
            .collect()
    };
    assert_eq!(violations(4, 2, 2, 4 << 120), [""; 0]);
    assert_eq!(violations(u128::MAX, 2, 2, 0), ["hash"]);
    assert_eq!(violations(4, u64::MAX, u64::MAX, 0), ["b"]);
    assert_eq!(violations(4, 2, 2, u128::MAX), ["sum"]);
}

/// Literals with a type.
#[derive(Layout)]
#[binrw]
#[brw(little)]
struct TypedLiterals {
    #[layout(one_of(-128i8, 3i8), rule = RULE)]
    kind: i8,
    #[br(count = 4u32)]
    numbers: Vec<u16>,
    #[br(if(kind == 3i8))]
    near: Option<u16>,
    #[br(if(kind != 3i8))]
    far: Option<u16>,
}

#[derive(Layout)]
#[binrw]
#[brw(little)]
struct Alternatives {
    kind: u8,
    #[br(if(kind == 3u8))]
    near: Option<u16>,
    #[br(if(kind != 3u8))]
    far: Option<[u8; 2]>,
}

#[test]
fn literals_may_have_types() {
    const TYPE: &Type = &TypedLiterals::TYPE;
    let file = [&[0x80][..], &[0; 10]].concat();
    assert!(
        layout::check::<TypedLiterals>(&file, &ReadOptions::default())
            .unwrap()
            .findings()
            .is_empty()
    );
    assert_eq!(const { Alternatives::TYPE.stride() }, Some(3));
    assert!(
        schema(Schema::Program, TYPE).contains("numbers: u16[4]"),
        "{}",
        schema(Schema::Program, TYPE)
    );
    let json = schema(Schema::Json, TYPE);
    assert!(
        json.contains("-128") && !json.contains("\"cast\""),
        "{json}"
    );
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
        report
            .findings()
            .iter()
            .map(|finding| format!("{}: {}", finding.path, finding.message))
            .collect()
    };
    assert_eq!(findings(limit - 1, limit, u128::MAX), [""; 0]);
    assert_eq!(findings(0, u128::MAX, 1), [""; 0]);
    assert_eq!(
        findings(limit, limit - 1, u128::MAX - 1),
        [
            format!("below: found {limit}, expected less than {limit}"),
            format!("at_least: found {}, expected at least {limit}", limit - 1),
            format!(
                "one_of: found {}, expected 1 or {}",
                u128::MAX - 1,
                u128::MAX
            ),
        ]
    );
    assert_eq!(findings(5, 5, 5).len(), 2);
    for choices in [vec![], vec![1; 64], vec![u64::MAX; 64]] {
        let file = generate::file(TYPE, &choices, &Default::default()).unwrap();
        assert!(
            layout::check::<WideLimits>(&file, &ReadOptions::default())
                .unwrap()
                .findings()
                .is_empty()
        );
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
    schema
        .print("words", "Words", &[("words", ty)])
        .remove(0)
        .text
}

#[test]
fn names_and_counts_are_valid_in_kaitai() {
    const TYPE: Type = Words::TYPE;
    let text = schema(Schema::Kaitai, const { &TYPE });
    for id in [
        "null_value",
        "yes_value",
        "class_value",
        "num_verts",
        "list",
    ] {
        assert!(text.contains(&format!("- id: {id}\n")), "{text}");
    }
    assert!(
        text.contains("size: 'num_verts'") && !text.contains("- id: null\n"),
        "{text}"
    );
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
    for line in [
        "size: 'num_verts_3'",
        "size: 'num_verts'",
        "repeat-expr: 'num_verts_4'",
        "if: 'num_verts_3 > 1'",
    ] {
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
