//! Stored fields: only structs have them.

#[derive(StoredFields)]
enum Choice {
    A(u8),
}

#[derive(StoredFields)]
#[binrw]
struct Unknown {
    #[layout(colour = red)]
    field: u8,
}
