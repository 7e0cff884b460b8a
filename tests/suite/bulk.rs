//! Bulk numbers: columns, and the byte order of machines that are not at hand.

use meshspec::bulk::{self, Column, Plain};
use meshspec::crucible::BoneWeight;
use meshspec::mesh::Pose;
use meshspec::mesh::schema::RenderlibPose;

/// The bytes of a value after each of its numbers was turned round, for numbers of these sizes in this order.
fn assert_swaps<T: Plain>(value: T, sizes: &[usize]) {
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
fn every_number_is_turned_round() {
    assert_swaps(0x12u8, &[1]);
    assert_swaps(0x1234u16, &[2]);
    assert_swaps(0x1234_5678u32, &[4]);
    assert_swaps(1.5f32, &[4]);
    assert_swaps([[1.0f32, 2.0], [3.0, 4.0]], &[4; 4]);
    let (position, rotation, scale) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0]);
    assert_swaps(Pose { joint: 7, position, rotation, scale }, &[4; 11]);
    assert_swaps(RenderlibPose { joint: 7, position, rotation, scale }, &[1, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4]);
    assert_swaps(BoneWeight { bone: 0x1234, influence: 0.5 }, &[2, 4]);
}

#[test]
fn columns_of_records() {
    // Two records of a byte, a number and a byte.
    let records = [9, 1, 0, 9, 8, 2, 0, 8];
    let column = Column::<u16>::new(&records, 4, 1).unwrap();
    assert_eq!((column.len(), column.to_vec()), (2, vec![1, 2]));
    assert_eq!((column.get(1), column.get(2)), (Some(2), None));
    assert!(Column::<u16>::new(&records, 4, 3).is_none(), "the value would reach into the next record");
    assert!(Column::<u16>::new(&[], 4, 0).unwrap().is_empty());
}

#[test]
fn pieces_are_shown_once_and_whole() {
    let numbers: Vec<u32> = (0..1_000_000).collect();
    let bytes = bulk::as_bytes(&numbers);
    let seen = std::sync::Mutex::new(Vec::new());
    let copy = bulk::to_vec_inspected::<u32>(&bytes, &|piece| seen.lock().unwrap().extend_from_slice(piece));
    assert!(copy == numbers && *seen.lock().unwrap() == numbers);

    let sizes = std::sync::Mutex::new(Vec::new());
    let copy =
        bulk::copy_inspected(&bytes[..3_999_960], 40, &|piece| sizes.lock().unwrap().push(piece.len()));
    assert!(copy == bytes[..3_999_960]);
    let sizes = sizes.into_inner().unwrap();
    assert!(sizes.len() > 1 && sizes.iter().all(|size| size % 40 == 0));
    assert_eq!(sizes.iter().sum::<usize>(), 3_999_960);
}
