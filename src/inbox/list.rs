//! Everything that is in an inbox.

use rustix::io::Errno;

use super::find::InboxItem;
use super::folder::{Folder, Inbox};
use super::markers::Markers;
use super::name::{Service, State, file_name};
use super::refusal::Refusal;
use super::rule::{Limits, Next, Wait};
use super::survey::{Seen, survey};

/// An item of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedItem {
    /// Its id.
    pub id: String,
    /// Where it is.
    pub item: InboxItem,
    /// What its block says.
    pub markers: Markers,
    /// What the next sweep to move it will do, with the usual limits and a session alive; `None` for
    /// what no sweep moves.
    pub next: Option<Next>,
}

/// Lists the items of one service or of all, in one state or in all, in the order of services and names.
///
/// # Errors
///
/// A folder or file that exists and cannot be read.
///
/// ```
/// # let root = tempfile::tempdir()?;
/// # let root = root.path().to_str().expect("a plain path");
/// std::fs::create_dir_all(format!("{root}/state/inbox/cohort"))?;
/// std::fs::write(format!("{root}/state/inbox/cohort/m1.yaml"), "id: m1\n")?;
/// let items = seatkit::inbox::list_inbox(root, None, None)?;
/// assert_eq!(items[0].id, "m1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn list_inbox(
    root: &str,
    service: Option<Service<'_>>,
    state: Option<State>,
) -> Result<Vec<ListedItem>, Refusal> {
    let failed = |errno| Refusal::io(errno, format_args!("read the inbox of {root}"));
    let Some(inbox) = Inbox::open(root).map_err(failed)? else {
        return Ok(Vec::new());
    };
    let services = match service {
        Some(service) => vec![service.as_str().to_owned()],
        None => inbox.services().map_err(failed)?,
    };
    let mut items = Vec::new();
    for name in services {
        let Some(service) = Service::new(&name) else {
            continue;
        };
        let Some(folder) = inbox.folder(service).map_err(failed)? else {
            continue;
        };
        let mut seen = Vec::new();
        // What one scan misses another one sees; the last that saw a file is right about its name.
        let scan = |folder: &Folder| {
            seen.reverse();
            survey(
                folder,
                |met| state.is_none_or(|wanted| wanted == met),
                |seen| Ok(listed(&name, folder, seen)?.map(|item| (seen.inode, Ok(item)))),
                |inode, file, errno| {
                    (
                        inode,
                        Err(Refusal::io(
                            errno,
                            format_args!("read {}", folder.path_of(file)),
                        )),
                    )
                },
                &mut seen,
            )?;
            seen.reverse();
            Ok(false)
        };
        folder.scan_honestly(scan).map_err(failed)?;
        seen.sort_by_key(|(inode, _)| *inode);
        seen.dedup_by_key(|(inode, _)| *inode);
        let first = items.len();
        for (_, item) in seen {
            items.push(item?);
        }
        if let Some(of_service) = items.get_mut(first..) {
            of_service.sort_unstable_by(|a, b| a.item.file.cmp(&b.item.file));
        }
    }
    Ok(items)
}

/// `Ok(None)`: it is no item after all.
fn listed(service: &str, folder: &Folder, seen: &Seen<'_>) -> Result<Option<ListedItem>, Errno> {
    let Some(modified) = seen.modified()? else {
        return Ok(None);
    };
    let file = file_name(seen.name.stem, seen.name.state);
    let block = seen.end.block();
    let next = Wait::of(seen.name.state, &block, true, &Limits::default())
        .and_then(|wait| wait.next(modified));
    Ok(Some(ListedItem {
        id: seen.name.id().to_owned(),
        item: InboxItem {
            service: service.to_owned(),
            state: seen.name.state,
            path: folder.path_of(&file),
            file,
        },
        markers: Markers::of(&block),
        next,
    }))
}
