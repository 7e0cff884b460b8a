//! Checks forests: lists in which each item refers to its parent.

/// The properties of a forest. See [`Requirement::Forest`](crate::layout::declaration::Requirement::Forest).
#[derive(Debug)]
pub(super) struct Forest {
    /// The number that means "no parent".
    pub none: Option<i128>,
    /// Whether the first item is the only root, and its own parent.
    pub rooted: bool,
    /// The ids of the items. Parents may be given either all by index or all by id.
    pub ids: Option<Vec<i128>>,
    /// Whether parents precede their children.
    pub parents_first: bool,
}

/// Returns the items with an invalid parent, each with a message. Parents are indices. If the items have ids, parents
/// may instead be ids, provided that all parents are valid when read as ids.
pub(super) fn invalid_parents(parents: &[i128], forest: &Forest) -> Vec<(usize, String)> {
    let by_position = invalid_parents_with(parents, forest, &Some);
    match &forest.ids {
        Some(ids) if !by_position.is_empty() => {
            let id_of = |item: usize| usize::try_from(*ids.get(item)?).ok();
            if invalid_parents_with(parents, forest, &id_of).is_empty() {
                Vec::new()
            } else {
                by_position
            }
        }
        _ => by_position,
    }
}

/// Returns the items with an invalid parent, each with a message. `id_of` maps the index of an item to the number by
/// which its children refer to it: its index or its id.
fn invalid_parents_with(
    parents: &[i128],
    forest: &Forest,
    id_of: &dyn Fn(usize) -> Option<usize>,
) -> Vec<(usize, String)> {
    let count = parents.len();
    let is_root = |item: usize, parent: i128| {
        if forest.rooted && item == 0 {
            parent == 0
        } else {
            forest.none == Some(parent)
        }
    };
    let mut parent_of: Vec<Option<usize>> = vec![None; count];
    for (item, parent) in parents.iter().enumerate() {
        if let Some(slot) = id_of(item).and_then(|id| parent_of.get_mut(id)) {
            *slot = usize::try_from(*parent)
                .ok()
                .filter(|_| !is_root(item, *parent));
        }
    }
    let in_cycle = find_cycles(&parent_of);
    let mut faults = Vec::new();
    for (item, parent) in parents
        .iter()
        .enumerate()
        .filter(|(item, parent)| !is_root(*item, **parent))
    {
        let is_in_cycle = id_of(item).is_some_and(|id| in_cycle.get(id) == Some(&true));
        let message = match usize::try_from(*parent)
            .ok()
            .filter(|parent| *parent < count)
        {
            _ if forest.rooted && item == 0 => {
                format!("parent {parent} of the first item, expected 0")
            }
            None => format!("parent {parent} is not in 0..{count}"),
            Some(parent) if forest.parents_first && parent >= item => {
                format!("parent {parent}, expected an index below {item}")
            }
            Some(parent)
                if forest.rooted && parent > 0 && forest.none == parents.get(parent).copied() =>
            {
                format!("parent {parent} is outside the tree")
            }
            Some(_) if is_in_cycle => "is its own ancestor".to_owned(),
            Some(_) => continue,
        };
        faults.push((item, message));
    }
    faults
}

/// Returns a flag for each item: `true` if the item is in a cycle. Runs in linear time.
fn find_cycles(parent_of: &[Option<usize>]) -> Vec<bool> {
    let (mut in_cycle, mut visited_from) = (
        vec![false; parent_of.len()],
        vec![usize::MAX; parent_of.len()],
    );
    for start in 0..parent_of.len() {
        let mut item = start;
        while let Some(visited) = visited_from
            .get_mut(item)
            .filter(|visited| **visited == usize::MAX)
        {
            *visited = start;
            let Some(parent) = parent_of[item] else { break };
            item = parent;
        }
        // A path that returns to an item visited from the same start closes a cycle.
        let closes = visited_from.get(item) == Some(&start) && parent_of[item].is_some();
        while closes && !in_cycle[item] {
            in_cycle[item] = true;
            let Some(parent) = parent_of[item] else { break };
            item = parent;
        }
    }
    in_cycle
}
