//! Do the model and the images fit together?

use crate::args::SelectionArgs;
use crate::output::say;
use crate::process::interrupted;
use crate::progress::patiently;
use crate::settings::{DataSettings, ModelSettings};
use anyhow::{Context, bail, ensure};
use qcrs::certify::Budget;
use qcrs::data::{Example, Opened};
use qcrs::method::Method;
use qcrs::noise::{NoiseChoice, NoiseKind};
use qcrs::run::{ModelSpec, Selection, Spec};
use qcrs::sample::{InputTransform, MonteCarlo, Scores};
use qcrs::types::Error;
use qcrs_onnx::{Model, OutputKind};
use rayon::ThreadPool;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A loaded model beside opened data.
pub struct Setup {
    /// The model.
    pub model: Model,
    /// The data.
    pub data: Opened,
    /// What is done to the pixels after the noise.
    pub transform: Option<InputTransform>,
    /// How the model was asked for.
    pub settings: ModelSettings,
    /// How noise is drawn.
    pub noise: NoiseKind,
    /// The threads that call the model.
    pub pool: Arc<ThreadPool>,
}

impl Setup {
    /// Opens data and model and makes sure that they fit.
    pub fn open(
        model: impl Into<ModelSettings>,
        data: impl Into<DataSettings>,
        noise: NoiseChoice,
    ) -> anyhow::Result<Self> {
        let (model, data) = (model.into(), data.into());
        let pool = Arc::new(model.pool()?);
        let opened = pool.install(|| data.open())?;
        let noise = noise.on(opened.dataset.lattice());
        let opened = opened.under(noise)?;
        let shape = opened.dataset.shape();
        let transform = model.transform(shape[0])?;
        let image = opened.dataset.get(0).ok().map(|example| example.pixels);
        let loaded = model.load(shape, image)?;
        let classes = loaded.classifier.num_classes();
        opened.suits(classes, data.allow_fewer_classes)?;
        if let Some(count) = opened.about.classes.as_ref().map(Vec::len).filter(|count| *count < classes) {
            say!("{} has {count} classes, the model {classes}", data.path.display());
        }
        say_left_out(&opened);
        let unlabelled = data.path.is_dir() && opened.dataset.label(0)?.is_none();
        if let Some(list) = unlabelled.then(|| list_in(&data.path)).flatten() {
            say!("{}: not read; if it lists file,label give it as --data", list.display());
        }
        Ok(Self { model: loaded, data: opened, transform, settings: model, noise, pool })
    }

    /// The number of inputs of the dataset.
    #[allow(clippy::len_without_is_empty)] // a dataset without inputs cannot be opened
    pub fn len(&self) -> anyhow::Result<u32> {
        u32::try_from(self.data.dataset.len()).context("a dataset of more than 4 billion inputs")
    }

    /// Input number `index`.
    pub fn example(&self, index: u32) -> Result<Example, Error> {
        let example = self.data.dataset.get(index as usize)?;
        let classes = self.model.classifier.num_classes();
        match example.label.filter(|label| *label >= classes) {
            None => Ok(example),
            Some(label) => Err(Error::Invalid(format!(
                "it is labelled {label}, but the model has classes 0 to {}; do data and model belong together?",
                classes - 1
            ))),
        }
    }

    /// Reads these images, so that one that cannot be read is known before the first draw.
    pub fn check_images(&self, ids: &[u32]) -> Result<(), Error> {
        let what = format!("reading all {} images before the first draw", ids.len());
        patiently(&what, || self.pool.install(|| self.data.check_images(ids)))
    }

    /// Asks the classifier with the batch size that was asked for, knows what its scores mean, and stops at
    /// Ctrl-C.
    pub fn sampler(&self) -> anyhow::Result<MonteCarlo<'_>> {
        let scores = match self.settings.options.output {
            OutputKind::Logits => Scores::Logits,
            OutputKind::Probs => Scores::Probabilities,
        };
        let sampler = MonteCarlo::new(&*self.model.classifier, self.settings.options.batch);
        let sampler = sampler.scored_in(scores).under(self.noise);
        Ok(sampler.on(Arc::clone(&self.pool)).until(interrupted()?))
    }

    /// Which inputs are asked for, and among them only those of the class that `--of-class` names.
    pub fn selection(&self, args: &SelectionArgs) -> anyhow::Result<Selection> {
        let all = args.among(self.len()?);
        let Some(class) = &args.of_class else { return Ok(all) };
        let class = self.class(class)?;
        let everything = Selection { count: None, ..all.clone() };
        let listed = self.of_class(class, everything.ids()).collect::<Result<Vec<_>, _>>()?;
        if listed.is_empty() {
            bail!("none of the selected inputs is labelled {}; see --of-class", self.class_name(class));
        }
        Ok(Selection { listed: Some(listed), ..all })
    }

    /// The ids of the inputs that are asked for, at least one.
    pub fn ids(&self, args: &SelectionArgs) -> anyhow::Result<Vec<u32>> {
        let selection = self.selection(args)?;
        let ids: Vec<u32> = selection.ids().collect();
        let of = selection.of;
        ensure!(
            !ids.is_empty(),
            "no input is selected; --skip, --offset, --max, --count and --of-class exclude all {of} inputs"
        );
        Ok(ids)
    }

    /// Those of the `ids` whose input is labelled `class`.
    pub fn of_class(
        &self,
        class: usize,
        ids: impl Iterator<Item = u32>,
    ) -> impl Iterator<Item = Result<u32, Error>> {
        let labelled = move |id: u32| {
            let label = self.data.dataset.label(id as usize)?;
            Ok((label == Some(class)).then_some(id))
        };
        ids.map(labelled).filter_map(Result::transpose)
    }

    /// The class with this name or number.
    pub fn class(&self, text: &str) -> anyhow::Result<usize> {
        let names = self.data.about.classes.as_deref().unwrap_or_default();
        let classes = self.model.classifier.num_classes();
        let number = names.iter().position(|name| name == text).or_else(|| text.parse().ok());
        match number.filter(|number| *number < classes) {
            Some(number) => Ok(number),
            None if names.is_empty() => bail!("there is no class {text}; the model has 0 to {}", classes - 1),
            None => bail!("there is no class {text}; there are {}", names.join(", ")),
        }
    }

    /// The name of a class.
    pub fn class_name(&self, class: usize) -> String {
        let names = self.data.about.classes.as_ref();
        names.and_then(|names| names.get(class)).map_or_else(|| format!("class {class}"), Clone::clone)
    }

    /// Everything that the answers to this question depend on.
    pub fn spec(
        &self,
        selection: Selection,
        method: Method,
        budget: Budget,
        one_class: Option<usize>,
    ) -> Spec {
        let noise = method.facts().noise(self.noise);
        let spec = Spec::new(self.model_spec(), self.data.about.clone(), selection, noise, method, budget);
        one_class.map_or(spec.clone(), |class| spec.asking_whether(class))
    }

    /// What a spec has to say about the model.
    pub fn model_spec(&self) -> ModelSpec {
        let ModelSettings { path, options, .. } = &self.settings;
        ModelSpec {
            name: model_name(path),
            blake3: self.model.blake3.clone(),
            engine: self.model.engine.clone(),
            device: options.device.to_string(),
            precision: options.precision.to_string(),
            output: options.output.to_string(),
            transform: self.transform.clone(),
            classes: self.model.classifier.num_classes(),
            batch: (!self.model.batch_invariant).then_some(options.batch),
            told: None,
            confidence: None,
            not_followed: self.model.not_followed.clone(),
        }
    }
}

/// Names of files in a message.
const NAMED: usize = 5;

/// Files that a user may have taken for images of the dataset.
fn say_left_out(opened: &Opened) {
    let (count, names) = (opened.left_out.len(), opened.left_out.iter().take(NAMED));
    let names = names.map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
    match count {
        0 => {}
        1 => say!("1 file is not a PNG or JPEG and was left out: {names}"),
        _ => say!("{count} files are not PNG or JPEG and were left out: {names}{more}"),
    }
}

/// A CSV file in a folder.
fn list_in(folder: &Path) -> Option<PathBuf> {
    let mut files = folder.read_dir().ok()?.flatten().map(|entry| entry.path());
    files.find(|file| file.extension().is_some_and(|end| end == "csv"))
}

/// The name of a model's file, with that of its folder where the file has the usual name.
fn model_name(path: &Path) -> String {
    let name = file_name(path);
    match path.parent().and_then(Path::file_name) {
        Some(folder) if name == ModelSpec::USUAL_NAME => format!("{}/{name}", folder.to_string_lossy()),
        _ => name,
    }
}

/// The last part of a path, for people.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
