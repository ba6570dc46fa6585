//! Everything that is in an inbox.

use std::collections::BTreeMap;

use super::find::InboxItem;
use super::folder::{Folder, Inbox};
use super::markers::Markers;
use super::name::{ItemName, Service, State, file_name};
use super::refusal::Refusal;
use super::survey::survey;

/// An item of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedItem {
    /// Its id.
    pub id: String,
    /// Where it is.
    pub item: InboxItem,
    /// What its block says.
    pub markers: Markers,
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
        // What one scan misses another one sees: an item's stem stays, whatever its state.
        let mut by_stem = BTreeMap::new();
        let scan = |folder: &Folder| {
            seen.clear();
            survey(
                folder,
                |met| state.is_none_or(|wanted| wanted == met),
                |seen| {
                    Ok(Some(Ok((
                        seen.name.stem.to_owned(),
                        seen.name.state,
                        seen.name.id().to_owned(),
                        Markers::of(&seen.end.block()),
                    ))))
                },
                |name: ItemName<'_>, errno| Err((file_name(name.stem, name.state), errno)),
                &mut seen,
            )?;
            for item in seen.drain(..) {
                let (key, found) = match item {
                    Ok((stem, state, id, markers)) => ((stem, state), Ok((id, markers))),
                    Err((file, errno)) => ((file, State::New), Err(errno)),
                };
                by_stem.insert(key, found);
            }
            Ok(false)
        };
        folder.scan_honestly(scan).map_err(failed)?;
        for ((stem, state), found) in by_stem {
            let file = file_name(&stem, state);
            let path = folder.path_of(&file);
            let (id, markers) = found.map_err(|errno| {
                Refusal::io(errno, format_args!("read {}", folder.path_of(&stem)))
            })?;
            items.push(ListedItem {
                id,
                item: InboxItem {
                    service: name.clone(),
                    state,
                    file,
                    path,
                },
                markers,
            });
        }
    }
    Ok(items)
}
