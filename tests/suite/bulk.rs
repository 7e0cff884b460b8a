//! Lists of plain numbers: columns, and conversion from the other byte order.

use std::cell::RefCell;
use std::io::Cursor;

use binrw::{BinRead, BinWrite, Endian, VecArgs, binrw};
use meshspec::bulk::{self, Column, PlainData, PrefixedText, Strings};
use meshspec::crucible::BoneWeight;
use meshspec::layout::{Layout, walk};
use meshspec::mesh::Pose;
use meshspec::mesh::schema::RenderlibPose;
use meshspec::{Path, Text, path};

/// Asserts that `swap_bytes` reverses the bytes of each number. `sizes` contains the sizes of the numbers in order.
fn assert_swaps<T: PlainData>(value: T, sizes: &[usize]) {
    let mut expected = bytemuck::bytes_of(&value).to_vec();
    assert_eq!(sizes.iter().sum::<usize>(), expected.len());
    let mut start = 0;
    for size in sizes {
        expected[start..start + size].reverse();
        start += size;
    }
    assert_eq!(bytemuck::bytes_of(&value.swap_bytes()), expected);
}

#[test]
fn every_number_is_byte_swapped() {
    assert_swaps(0x12u8, &[1]);
    assert_swaps(0x1234u16, &[2]);
    assert_swaps(0x1234_5678u32, &[4]);
    assert_swaps(1.5f32, &[4]);
    assert_swaps([[1.0f32, 2.0], [3.0, 4.0]], &[4; 4]);
    let (position, rotation, scale) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0]);
    assert_swaps(
        Pose {
            joint: 7,
            position,
            rotation,
            scale,
        },
        &[4; 11],
    );
    assert_swaps(
        RenderlibPose {
            joint: 7,
            position,
            rotation,
            scale,
        },
        &[1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4],
    );
    assert_swaps(
        BoneWeight {
            bone: 0x1234,
            influence: 0.5,
        },
        &[2, 4],
    );
}

#[test]
fn columns_of_records() {
    // Two records of a byte, a number and a byte.
    let records = [9, 1, 0, 9, 8, 2, 0, 8];
    let column = Column::<u16>::new(&records, 4, 1).unwrap();
    assert_eq!((column.len(), column.to_vec()), (2, vec![1, 2]));
    assert_eq!((column.get(1), column.get(2)), (Some(2), None));
    assert!(
        Column::<u16>::new(&records, 4, 3).is_none(),
        "the value would reach into the next record"
    );
    assert!(Column::<u16>::new(&[], 4, 0).unwrap().is_empty());
}

/// The inspector of a reader receives all data once, in pieces of whole items.
#[test]
fn inspectors_see_all_data_once_in_whole_pieces() {
    let numbers: Vec<u32> = (0..1_000_000).collect();
    let file = bulk::as_bytes(&numbers).into_owned();
    let (records, sizes) = (&file[..3_999_960], RefCell::new(Vec::new()));
    let inspector = |piece: &[u8]| sizes.borrow_mut().push(piece.len());
    let read = bulk::read_records(&mut Cursor::new(&file), 99_999, 40, inspector).unwrap();
    assert!(read == records);
    let sizes = sizes.take();
    assert!(sizes.len() > 2 && sizes.iter().all(|size| size % 40 == 0));
    assert_eq!(sizes.iter().sum::<usize>(), records.len());
}

/// A wrong count is an error before memory is reserved.
#[test]
fn counts_are_checked_before_allocation() {
    for count in [2, usize::MAX] {
        let args = VecArgs { count, inner: () };
        assert!(bulk::read::<u32, _>(&mut Cursor::new([0; 7]), Endian::Little, args).is_err());
        assert!(bulk::read_records(&mut Cursor::new([0; 7]), count, 4, |_| ()).is_err());
    }
}

/// Strings between other fields.
#[derive(Layout)]
#[binrw]
#[brw(little)]
#[derive(Debug, PartialEq)]
struct Names {
    #[br(temp)]
    #[bw(try_calc = u8::try_from(names.len()))]
    count: u8,
    #[br(count = count)]
    names: Vec<Text>,
    #[br(restore_position)]
    #[bw(ignore)]
    ahead: Text,
    title: Text,
    author: PrefixedText<u16>,
    end: u16,
}

#[test]
fn strings_are_read_in_sequence() {
    let bytes = b"\x02ab\0cde\0x\0\x02\0hi\x34\x12";
    let names = Names::read(&mut Cursor::new(bytes)).unwrap();
    assert_eq!(names.names, [Text::from("ab"), Text::from("cde")]);
    assert_eq!(names.ahead, Text::from("x"));
    assert_eq!(
        (&names.title, &names.author.text, names.end),
        (&Text::from("x"), &"hi".into(), 0x1234)
    );
    let mut written = Cursor::new(Vec::new());
    names.write(&mut written).unwrap();
    assert_eq!(written.into_inner(), bytes);
    // The walker shares no code with the codec.
    let find = |path: Path| walk::find(&Names::TYPE, bytes, &path, &Default::default()).unwrap();
    assert_eq!(find(path!(names[1]).into()).range(), &(4..8));
    assert_eq!(find(path!(author.text).into()).range(), &(12..14));
    assert_eq!(find(path!(end).into()).range(), &(14..16));
}

#[test]
fn invalid_strings_are_rejected() {
    let mut out = Cursor::new(Vec::new());
    assert!(Text::from("a\0b").write_le(&mut out).is_err());
    assert!(
        PrefixedText::<u8>::from(Text::from(vec![b'x'; 256]))
            .write_le(&mut out)
            .is_err()
    );
    assert!(Text::read_le(&mut Cursor::new(b"ab")).is_err());
    assert!(PrefixedText::<u32>::read_le(&mut Cursor::new(b"\xff\xff\xff\xffab")).is_err());
}

/// The list stores the offset of every 1024th string.
const STEP: usize = 1024;

#[test]
fn strings_are_found_after_many_others() {
    let text = |number: usize| Text::from(&*format!("{number}"));
    let pushed: Strings = (0..3 * STEP + 1).map(text).collect();
    let read = Strings::from_bytes(pushed.as_bytes().to_vec());
    for strings in [&pushed, &read] {
        assert_eq!(strings.len(), 3 * STEP + 1);
        for number in [0, 1, STEP - 1, STEP, 2 * STEP, 2 * STEP + 1, 3 * STEP] {
            assert_eq!(strings.get(number), Some(text(number)));
        }
        assert_eq!(strings.get(3 * STEP + 1), None);
    }
}

#[test]
fn the_last_string_may_lack_its_nul() {
    let mut strings = Strings::from_bytes(b"a\0\0b".to_vec());
    assert!(strings.is_unterminated());
    assert_eq!(
        strings.iter().collect::<Vec<_>>(),
        [b"a".as_slice(), b"", b"b"]
    );
    assert_eq!((strings.len(), strings.get(2)), (3, Some("b".into())));
    assert_eq!(strings.push("c".into()), Ok(()));
    assert_eq!(strings.as_bytes(), b"a\0\0b\0c\0");
    strings.remove_terminator().unwrap();
    assert_eq!(strings.as_bytes(), b"a\0\0b\0c");
}
