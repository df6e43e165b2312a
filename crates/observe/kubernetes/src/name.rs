//! Names as Kubernetes allows them.

use crate::KubernetesError;

/// The longest name of a node or pod (RFC 1123, as the API's validation has it).
const LONGEST: usize = 253;

/// The name, if it is one of a node, pod or namespace: small letters, digits, `-` and `.`, beginning and ending with a letter
/// or digit. What passes can stand in a path as it is.
pub(crate) fn checked<'n>(what: &str, name: &'n str) -> Result<&'n str, KubernetesError> {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let ends = name.bytes().next().is_some_and(inner) && name.bytes().next_back().is_some_and(inner);
    if ends && name.len() <= LONGEST && name.bytes().all(|b| inner(b) || b == b'-' || b == b'.') {
        return Ok(name);
    }
    let shown: String = name.chars().take(60).collect();
    Err(KubernetesError::Input(format!(
        "`{}` is no name of a {what}: expected small letters, digits, `-` and `.`, such as tidb-0",
        shown.escape_debug()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_leave_its_place_in_a_path_is_refused() {
        for name in ["tidb-0", "gke-pool-1a2b.internal", "0"] {
            assert_eq!(checked("pod", name).unwrap(), name);
        }
        for name in ["", "../secrets", "a/b", "a?b", "a b", "A", "-a", "a.", "a\n", "$(reboot)", &"a".repeat(254)] {
            assert!(checked("pod", name).is_err(), "{name}");
        }
    }
}
