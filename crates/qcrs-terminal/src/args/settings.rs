//! Which method, with which settings, and how many draws?

use clap::builder::PossibleValue;
use clap::{Arg, ArgMatches, Command};
use qcrs::method::{COMMON, Descriptor, METHODS, Setting};
use qcrs::settings::{CERTIFICATE, Settings};

/// The settings that were typed. Their names, help and defaults are those of the library: a new method has
/// its options as soon as it is in the library's table.
#[derive(Clone, Debug)]
pub struct SettingsArgs(pub Settings);

/// Every setting once, with the methods that have it.
fn all_settings() -> Vec<(Setting, Vec<&'static Descriptor>)> {
    let mut all: Vec<(Setting, Vec<&'static Descriptor>)> = Vec::new();
    for method in METHODS {
        for setting in method.settings {
            match all.iter_mut().find(|(known, _)| known.name == setting.name) {
                Some((_, methods)) => methods.push(method),
                None => all.push((*setting, vec![method])),
            }
        }
    }
    all
}

/// What `--help` says about a setting of these methods.
fn help(setting: &Setting, methods: &[&Descriptor]) -> String {
    let names = |methods: &[&Descriptor]| {
        let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
        names.join(", ")
    };
    let default = |method: &Descriptor| {
        method.settings.iter().find(|own| own.name == setting.name).map_or("", |own| own.default)
    };
    let mut defaults = vec![setting.default.to_owned()];
    for method in methods.iter().filter(|method| default(method) != setting.default) {
        defaults.push(format!("{} {}", method.name, default(method)));
    }
    format!("{}: {} [default: {}]", names(methods), setting.about, defaults.join("; "))
}

/// What `--help` says of a setting of every method.
fn help_for_all(setting: &Setting) -> String {
    let mut about = setting.about.chars();
    let first = about.next().map_or(String::new(), |first| first.to_uppercase().to_string());
    format!("{first}{} [default: {}]", about.as_str(), setting.default)
}

/// An option that takes a value of this setting.
fn option(setting: &Setting, help: String, heading: &'static str) -> Arg {
    let long = setting.name.replace('_', "-");
    let option = Arg::new(setting.name).value_name(setting.value).help(help).help_heading(heading);
    let option = if long == setting.name { option } else { option.alias(setting.name) };
    option.long(long)
}

impl clap::Args for SettingsArgs {
    fn augment_args(command: Command) -> Command {
        let methods = METHODS.iter().map(|method| PossibleValue::new(method.name).help(method.about));
        let method = Arg::new("method")
            .long("method")
            .value_parser(methods.collect::<Vec<_>>())
            .default_value(Settings::DEFAULT_METHOD)
            .value_name("METHOD")
            .help("How the noise level of an input is chosen")
            .help_heading("Method");
        let common = COMMON.map(|setting| {
            let arg = option(&setting, help_for_all(&setting), "Method");
            if setting.name == "sigma" { arg.required_unless_present("preset") } else { arg }
        });
        let own = all_settings()
            .into_iter()
            .map(|(setting, methods)| option(&setting, help(&setting, &methods), "Method"));
        let certificate = CERTIFICATE.map(|setting| {
            let arg = option(&setting, help_for_all(&setting), "Certificate");
            // the published programs write them in capitals
            if ["n0", "n"].contains(&setting.name) { arg.alias(setting.value) } else { arg }
        });
        command.arg(method).args(common).args(own).args(certificate)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for SettingsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut settings = Self(Settings::new());
        settings.update_from_arg_matches(matches)?;
        Ok(settings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        let own = all_settings().into_iter().map(|(setting, _)| setting.name);
        let names = COMMON.iter().chain(&CERTIFICATE).map(|setting| setting.name);
        for name in std::iter::once("method").chain(names).chain(own) {
            if let Some(typed) = matches.get_one::<String>(name) {
                self.0.set(name, typed.as_str());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args as _, FromArgMatches as _};

    fn typed(words: &str) -> Result<Settings, clap::Error> {
        let command = SettingsArgs::augment_args(Command::new("certify"));
        let matches = command.try_get_matches_from(format!("certify {words}").split(' '))?;
        Ok(SettingsArgs::from_arg_matches(&matches)?.0)
    }

    #[test]
    fn options_are_the_settings_of_the_library() {
        let settings = typed("--sigma 0.5 --method grid --gradient-n 100 --N 1e4 --winner fresh").unwrap();
        let grid = Settings::new().with("method", "grid").with("sigma", 0.5).with("gradient_n", 100);
        assert_eq!(settings.method(None).unwrap(), grid.method(None).unwrap());
        assert_eq!(settings.budget().unwrap().n(), 10_000);
        assert_eq!(
            typed("--sigma 0.5 --epsilon_step 2").unwrap(),
            typed("--sigma 0.5 --epsilon-step 2").unwrap()
        );
        assert!(typed("--method cohen").is_err(), "sigma is missing");
        assert!(typed("--preset cifar10-0.50").is_ok());
        assert!(typed("--sigma 0.5 --method newton").is_err());
    }

    #[test]
    fn help_names_the_methods_and_their_defaults() {
        let all = all_settings();
        let of = |name: &str| {
            let (setting, methods) = all.iter().find(|(setting, _)| setting.name == name).unwrap();
            help(setting, methods)
        };
        let draws = of("gradient_n");
        assert!(
            draws.starts_with("grid, qcrs, ddrs, insta-rs, iss") && draws.contains("[default: 500; "),
            "{draws}"
        );
        assert!(draws.contains("; iss 2000"), "{draws}");
        assert_eq!(of("points"), "grid: how many sigma are tried [default: 24]");
    }
}
