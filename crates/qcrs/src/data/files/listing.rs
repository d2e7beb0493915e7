//! Which image files are in a folder, in which order, and which class does each show?

use super::names::ClassNames;
use crate::types::Error;
use std::path::Path;

/// What a folder holds.
#[derive(Default)]
pub(super) struct Listing {
    /// Files of images, with labels where known.
    pub files: Vec<(String, Option<usize>)>,
    /// The class names.
    pub classes: Option<Vec<String>>,
    /// Other files.
    pub left_out: Vec<String>,
}

/// Whether a path ends like an image file that we read.
pub(super) fn is_picture(path: &Path) -> bool {
    let end = path.extension().and_then(|end| end.to_str()).map(str::to_ascii_lowercase);
    matches!(end.as_deref(), Some("png" | "jpg" | "jpeg"))
}

impl Listing {
    /// Lists the images of a folder.
    pub(super) fn of(root: &Path) -> Result<Self, Error> {
        let Entries { folders, images, mut others } = entries(root)?;
        if folders.is_empty() {
            let files = images.into_iter().map(|name| (name, None)).collect();
            return Ok(Listing { files, classes: None, left_out: others });
        }
        if let Some(file) = images.first() {
            let problem = format!(
                "has class folders ({}) and also images beside them ({file}); move one of them away",
                folders[0]
            );
            return Err(Error::format(root, problem));
        }
        let mut files = Vec::new();
        for (label, class) in folders.iter().enumerate() {
            let inside = entries(&root.join(class))?;
            // an empty folder keeps the number of its class, although there is no image of it
            if inside.images.is_empty() && !inside.folders.is_empty() {
                let problem = "holds no .png or .jpg file itself, as a class folder does; if this is the dataset, give \
                               its own path, else remove it";
                return Err(Error::format(root.join(class), problem));
            }
            let within = |name: String| format!("{class}/{name}");
            files.extend(inside.images.into_iter().map(|image| (within(image), Some(label))));
            others.extend(inside.others.into_iter().map(within));
        }
        Ok(Listing { files, classes: Some(folders), left_out: others })
    }

    /// Numbers class folders by the place of their names in `names`.
    pub(super) fn number_by(&mut self, names: &ClassNames, root: &Path) -> Result<(), Error> {
        let Some(folders) = &self.classes else { return Ok(()) };
        let number = |folder: &String| {
            names.place(folder).ok_or_else(|| {
                let problem = "is not one of the class names; rename the folder, or add its name to the list";
                Error::format(root.join(folder), problem)
            })
        };
        let numbers = folders.iter().map(number).collect::<Result<Vec<usize>, Error>>()?;
        for (_, label) in &mut self.files {
            *label = label.map(|folder| numbers[folder]);
        }
        self.classes = Some(names.shown.clone());
        Ok(())
    }
}

/// What is in a folder, each kind sorted by name, without what is hidden.
#[derive(Default)]
struct Entries {
    folders: Vec<String>,
    images: Vec<String>,
    others: Vec<String>,
}

fn entries(folder: &Path) -> Result<Entries, Error> {
    let mut found = Entries::default();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        if path.is_dir() {
            found.folders.push(name_of(&path)?);
        } else if is_picture(&path) {
            found.images.push(name_of(&path)?);
        } else {
            found.others.push(path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
    }
    for names in [&mut found.folders, &mut found.images, &mut found.others] {
        names.retain(|name| !name.starts_with('.'));
        names.sort();
    }
    Ok(found)
}

pub(super) fn name_of(path: &Path) -> Result<String, Error> {
    let name = path.file_name().and_then(|name| name.to_str());
    name.map(String::from).ok_or_else(|| Error::format(path, "has a name that is not UTF-8; rename it"))
}
