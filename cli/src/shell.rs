//! Text for shells.

/// Quotes an argument for a shell if needed. Prefixes `./` to an argument that starts with `-`.
pub fn shell_quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-+=:,./@".contains(c);
    match argument.chars().all(is_plain) && !argument.starts_with('-') {
        true => argument.to_owned(),
        false if argument.starts_with('-') => shell_quoted(&format!("./{argument}")),
        false => format!("'{}'", argument.replace('\'', r"'\''")),
    }
}
