//! A ledger: tables of published results, and a recipe for each.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::files::{LedgerFiles, LedgerPath};
use crate::ledger_error::LedgerError;
use crate::recipe::Recipe;
use crate::rows::{self, Claim, ClaimShortfall, ClaimSource, TableRow};
use crate::rung::Rung;

const CLAIMS: &str = "claims.csv";
const SOURCES: &str = "sources.csv";
const SHORTFALLS: &str = "shortfalls.csv";

static EMBEDDED: LazyLock<Ledger> =
    LazyLock::new(|| Ledger::read(LedgerFiles::Embedded).expect("tested: the embedded ledger is read"));

/// A ledger of published results.
#[derive(Debug)]
pub struct Ledger {
    claims: Vec<Claim>,
    sources: Vec<ClaimSource>,
    shortfalls: Vec<ClaimShortfall>,
    recipes: BTreeMap<String, Recipe>,
    files: LedgerFiles,
}

impl Ledger {
    /// The ledger that the program carries.
    pub fn embedded() -> &'static Self {
        &EMBEDDED
    }

    /// Reads a ledger from a folder: `claims.csv`, `sources.csv`, `recipes/ID.toml` for each claim, the files that recipes name,
    /// and `shortfalls.csv` if there is one.
    ///
    /// # Errors
    /// At the first file, row or key that is not as expected.
    pub fn from_folder(folder: impl Into<PathBuf>) -> Result<Self, LedgerError> {
        Self::read(LedgerFiles::Folder(folder.into()))
    }

    fn read(files: LedgerFiles) -> Result<Self, LedgerError> {
        let sources: Vec<TableRow<ClaimSource>> = rows::read(&files.text(&LedgerPath::table(SOURCES))?)?;
        let claims: Vec<TableRow<Claim>> = rows::read(&files.text(&LedgerPath::table(CLAIMS))?)?;
        let shortfalls: Vec<TableRow<ClaimShortfall>> = if files.has(&LedgerPath::table(SHORTFALLS)) {
            rows::read(&files.text(&LedgerPath::table(SHORTFALLS))?)?
        } else {
            Vec::new()
        };
        let name = |table: &str| files.name(&LedgerPath::table(table));
        rows::each_once(name(SOURCES), "source", &sources, |row| &row.source)?;
        rows::each_once(name(CLAIMS), "id", &claims, |row| &row.id)?;
        rows::each_once(name(SHORTFALLS), "id", &shortfalls, |row| &row.id)?;
        let known: Vec<&str> = sources.iter().map(|source| source.row.source.as_str()).collect();
        for TableRow { line, row } in &claims {
            expect(name(CLAIMS), *line, ("source", &row.source), SOURCES, &known)?;
        }
        let known: Vec<&str> = claims.iter().map(|claim| claim.row.id.as_str()).collect();
        for TableRow { line, row } in &shortfalls {
            expect(name(SHORTFALLS), *line, ("id", &row.id), CLAIMS, &known)?;
        }
        let recipes = claims.iter().map(|claim| Ok((claim.row.id.clone(), recipe(&files, claim)?)));
        let recipes = recipes.collect::<Result<_, LedgerError>>()?;
        Ok(Self {
            claims: claims.into_iter().map(|claim| claim.row).collect(),
            sources: sources.into_iter().map(|source| source.row).collect(),
            shortfalls: shortfalls.into_iter().map(|shortfall| shortfall.row).collect(),
            recipes,
            files,
        })
    }

    /// All claims, in the ledger's order.
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The documents with the claims.
    pub fn sources(&self) -> &[ClaimSource] {
        &self.sources
    }

    /// Claims that are known not to hold.
    pub fn shortfalls(&self) -> &[ClaimShortfall] {
        &self.shortfalls
    }

    /// Claims that are simulated or measured on a rung, in the ledger's order: the rung's own, and on the pilot's those of the
    /// store whose change the pilot can make.
    pub fn on_rung(&self, rung: Rung) -> Vec<&Claim> {
        let own = |claim: &Claim| claim.rung == rung && rung.measured();
        let by_pilot = |claim: &Claim| rung == Rung::Pilot && self.recipe(claim).evaluator.answers_by_pilot();
        self.claims.iter().filter(|claim| own(claim) || by_pilot(claim)).collect()
    }

    /// The recipe of one of its claims.
    pub(crate) fn recipe(&self, claim: &Claim) -> &Recipe {
        &self.recipes[&claim.id]
    }

    /// The source of one of its claims.
    pub(crate) fn source(&self, claim: &Claim) -> &ClaimSource {
        let source = self.sources.iter().find(|source| source.source == claim.source);
        source.expect("checked when the ledger was read")
    }

    /// Why a claim is known not to hold.
    pub(crate) fn shortfall(&self, claim: &Claim) -> Option<&ClaimShortfall> {
        self.shortfalls.iter().find(|shortfall| shortfall.id == claim.id)
    }

    pub(crate) fn files(&self) -> &LedgerFiles {
        &self.files
    }
}

/// Refuses a key that a table does not have.
fn expect(
    file: PathBuf,
    line: u64,
    (column, key): (&'static str, &str),
    table: &'static str,
    known: &[&str],
) -> Result<(), LedgerError> {
    if known.contains(&key) {
        return Ok(());
    }
    let help = textfile::did_you_mean(key, known);
    Err(LedgerError::Dangling { file, line, column, table, key: key.to_owned(), help })
}

/// Reads the recipe of a claim, which is of its rung.
fn recipe(files: &LedgerFiles, claim: &TableRow<Claim>) -> Result<Recipe, LedgerError> {
    let TableRow { line, row } = claim;
    let file = files.name(&LedgerPath::table(CLAIMS));
    let path = LedgerPath::recipe(&row.id).map_err(|_| LedgerError::Row {
        file: file.clone(),
        line: *line,
        column: Some("id".to_owned()),
        problem: format!("`{}` is no name of a recipe; expected one without `/`, such as `A01`", row.id),
    })?;
    if !files.has(&path) {
        let (claim, recipe) = (row.id.clone(), files.name(&path));
        return Err(LedgerError::NoRecipe { file, line: *line, claim, recipe });
    }
    let recipe = Recipe::from_text(&files.text(&path)?, files)?;
    let answers = recipe.evaluator.rung();
    if answers != row.rung {
        let (claim, rung, evaluator) = (row.id.clone(), row.rung, recipe.name);
        return Err(LedgerError::OtherRung { file, line: *line, claim, rung, evaluator, answers });
    }
    Ok(recipe)
}
