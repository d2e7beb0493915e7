use super::*;
use crate::types::Sigma;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn read(method: &Descriptor, more: &[(&str, &str)]) -> Result<AnyMethod, Error> {
    let mut values = BTreeMap::from([("sigma".to_owned(), json!(0.5))]);
    values.extend(more.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))));
    method.read(&Given { values: &values, dim: Some(3072) })
}

#[test]
fn the_table_has_every_method_under_the_name_that_files_have() {
    for descriptor in METHODS {
        let method = read(descriptor, &[]).unwrap();
        method.check().unwrap();
        assert_eq!((method.name(), method.facts().sigma), (descriptor.name, Sigma::new(0.5).unwrap()));
        let written = serde_json::to_value(&method).unwrap();
        assert_eq!(written["method"], descriptor.name);
        assert_eq!(serde_json::from_value::<AnyMethod>(written).unwrap(), method);
    }
}

/// A default that is shown to people must be the one that is used.
#[test]
fn the_defaults_that_are_shown_are_those_that_hold() {
    let mut seen = 0;
    for descriptor in METHODS {
        let plain = read(descriptor, &[]).unwrap();
        for Setting { name, value, default, .. } in descriptor.settings {
            let is_value = default.parse::<f64>().is_ok() || value.split('|').any(|word| word == *default);
            if is_value {
                let given = read(descriptor, &[(name, default)]).unwrap();
                assert_eq!(given, plain, "{} {name} {default}", descriptor.name);
                seen += 1;
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

/// Every setting of every method does something, and rejects nonsense.
#[test]
fn every_setting_is_read() {
    for descriptor in METHODS {
        for setting in descriptor.settings {
            let error = read(descriptor, &[(setting.name, "nonsense")]);
            let asks_for_passes = setting.name == "passes"; // read by the search that sets λ
            assert!(error.is_err() || asks_for_passes, "{} {}", descriptor.name, setting.name);
        }
    }
}
