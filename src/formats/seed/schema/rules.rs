//! The rules of Seed.

use crate::rule::rules;

rules! {
    ENCODING "SEED-ENCODING" Fatal "Syntax" "S9" Code("decodes bytes before the grammar applies")
        "The file is UTF-8; only comments may hold other bytes.";
    CONTROL "SEED-CONTROL" Fatal "Whitespace" "S9" Structure
        "The only control characters are tabs, vertical tabs, form feeds and line endings (LF or CRLF).";
    IDENTIFIER "SEED-IDENTIFIER" Fatal "Syntax" "S3" Declaration
        "Each line starts with an identifier of the attribute table, or is a property, a comment or empty.";
    BLANK "SEED-BLANK" Fatal "Syntax" "S3" Structure
        "Whitespace separates the identifier from the values.";
    COMMA "SEED-COMMA" Fatal "Syntax" "S3" Structure
        "Values are separated by commas.";
    COUNT "SEED-COUNT" Fatal "Syntax" "S3" Declaration
        "A line has the number of values in the attribute table.";
    NUMBER "SEED-NUMBER" Fatal "Syntax" "S4" Declaration
        "A value is a finite decimal number in the range of a 32-bit float.";
    INDEX "SEED-INDEX" Fatal "Syntax" "S5" Declaration
        "Indices and integers are from 0 to 2147483647; words are those of the attribute table.";
    SPACED_NUMBER "SEED-SPACED-NUMBER" Error "Whitespace" "S3" Structure
        "Numbers contain no whitespace.";
    PROPERTY "SEED-PROPERTY" Fatal "Properties" "S7" Structure
        "A property is `[name]=value`; the name is a letter followed by letters, digits and `_`.";
    DUPLICATE_PROPERTY "SEED-DUPLICATE-PROPERTY" Error "Properties" "S7" Code("compares properties with each other")
        "Each property occurs once.";
    MISSING "SEED-MISSING" Fatal "Syntax" "S1" Declaration
        "The file has positions and faces.";
    REQUIRED "SEED-REQUIRED" Error "Syntax" "S1" Declaration
        "Every required attribute is present.";
    VERTICES "SEED-VERTICES" Error "Syntax" "S1" Code("counts lines of the file")
        "There are at least 3 vertices.";
    REQUIRES "SEED-REQUIRES" Fatal "Syntax" "S8" Declaration
        "An attribute is present only if the attribute that it requires is.";
    LINES "SEED-LINES" Fatal "Syntax" "S1" Declaration
        "Each present attribute has one line per file, vertex or face.";
    INDEX_RANGE "SEED-INDEX-RANGE" Error "Syntax" "S5" Declaration
        "Every index is below the number of vertices, every other integer in its range.";
    COMMENT "SEED-COMMENT" Fatal "Comments" "S6" Code("constrains documents, not files")
        "A comment is one line without control characters and belongs to an existing line.";
    BUILT_IN "SEED-BUILT-IN" Warning "Built-in Properties" "S10" Declaration
        "The properties `name`, `mat0` and `type` are present.";
    TYPE "SEED-TYPE" Warning "Built-in Properties" "S10" Declaration
        "The type is STATIC or SKELETAL.";
    NORMALIZED "SEED-NORMALIZED" Warning "Syntax" "S10" Declaration
        "Normals have length 1, within 0.001.";
    RANGE "SEED-RANGE" Warning "Syntax" "S10" Declaration
        "Colors and UV coordinates are in the range 0 to 1.";
}
