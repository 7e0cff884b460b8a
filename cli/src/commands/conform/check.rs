//! Returns the `check` command for a file of the report.

use meshspec::Formats;

use super::group::Group;

/// Returns the command for a shell; `None` if this program does not support the format.
pub fn command(group: &Group, is_lenient: bool, formats: &Formats) -> Option<String> {
    let entry = &group.first.case.entry;
    let format = formats.get(&entry.format).ok()?;
    let file = group.minimized.as_ref().map_or(&group.smallest.file, |minimized| &minimized.file);
    let lenient = if is_lenient { " --lenient" } else { "" };
    let (format, dialect) = (format.name(), entry.dialect);
    Some(format!("meshspec check --from {format} --dialect {dialect}{lenient} {}", quoted(file)))
}

/// Quotes an argument for a shell, if needed.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=:,./@".contains(c);
    match argument.chars().all(is_plain) && !argument.starts_with('-') {
        true => argument.to_owned(),
        false if argument.starts_with('-') => quoted(&format!("./{argument}")),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}
