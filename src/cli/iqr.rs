//! `iqr`: issues iQR codes (I1 to I5). Knows nothing of how card data is encrypted.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::connection::{Area, ConnectionArgs, read_secret};
use super::output::{self, Failure};
use crate::provider::client::blocking::IqrClient;
use crate::provider::wire::Call;
use crate::provider::wire::iqr::{
    Channel, GetReference, Iqr, IqrReply, Link, Operator, RequestForCustomer, RequestUnassigned, RiskControlData, User,
    ValidateCard,
};

/// The command line of `iqr`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright provider iqr validate --ref R-1 --auth-data-file card.enc \\
      --mobile 2348012345678 --settings provider.toml
  lendwright provider iqr request --ref R-2 --auth-data-file card.enc \\
      --otp-file otp.txt --settings provider.toml
  lendwright provider iqr bulk --ref R-3 --quantity 100 --settings provider.toml
  lendwright provider iqr link --ref R-4 --qr-id Q-1 --qr-ref QR-1 \\
      --mobile 2348012345678 --settings provider.toml
  lendwright provider iqr reference --ref R-5 --qr-id Q-1 --pan-last-4 1234 \\
      --settings provider.toml
  lendwright provider iqr bulk --ref R-3 --quantity 100 \\
      --settings provider.toml --dry-run
      prints the exact request, secrets masked, and sends nothing

The address and the aggregator are settings under [iqr]. Card data is read from a file, encrypted,
because other users can see a command line.")]
pub struct IqrArgs {
    #[allow(missing_docs)]
    #[command(subcommand)]
    pub step: IqrStep,
}

/// The steps of issuing.
#[derive(Debug, Clone, Subcommand)]
pub enum IqrStep {
    /// Validate a customer's card, before an iQR is requested for it (I1)
    Validate(ValidateArgs),
    /// Request an iQR for the customer whose card was validated (I2)
    Request(RequestArgs),
    /// Request iQRs that are not assigned to a customer yet (I3)
    Bulk(BulkArgs),
    /// Link an unassigned iQR to a validated card (I4)
    Link(LinkArgs),
    /// Request the reference of an iQR (I5)
    Reference(ReferenceArgs),
}

/// Options of all steps.
#[derive(Debug, Clone, Args)]
pub struct StepArgs {
    /// Your own reference for this step
    #[arg(long = "ref", value_name = "REF")]
    pub reference: String,
    /// The channel of the request: API, USSD, WEB
    #[arg(long, value_name = "CHANNEL", default_value = "API")]
    pub channel: String,
    /// Print the exact request with secrets masked, and send nothing
    #[arg(long)]
    pub dry_run: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub connection: ConnectionArgs,
}

/// The customer of an iQR.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Customer")]
pub struct UserArgs {
    /// The customer's telephone number
    #[arg(long, value_name = "NUMBER")]
    pub mobile: Option<String>,
    /// The user's id
    #[arg(long, value_name = "ID")]
    pub user_id: Option<String>,
    /// The first name
    #[arg(long, value_name = "NAME")]
    pub first_name: Option<String>,
    /// The last name
    #[arg(long, value_name = "NAME")]
    pub last_name: Option<String>,
    /// A file with the bank verification number
    #[arg(long, value_name = "FILE")]
    pub bvn_file: Option<PathBuf>,
    /// A file with the national identity number
    #[arg(long, value_name = "FILE")]
    pub nin_file: Option<PathBuf>,
}

/// Data for risk control.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Risk control")]
pub struct RiskArgs {
    /// The operator's id
    #[arg(long, value_name = "ID")]
    pub operator_id: Option<String>,
    /// The location: longitude and latitude
    #[arg(long, value_names = ["LONGITUDE", "LATITUDE"], num_args = 2, allow_negative_numbers = true)]
    pub location: Option<Vec<String>>,
    /// The IP address
    #[arg(long, value_name = "ADDRESS")]
    pub ip_address: Option<String>,
}

/// The command line of `iqr validate`.
#[derive(Debug, Clone, Args)]
pub struct ValidateArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub step: StepArgs,
    /// A file with the encrypted card data; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub auth_data_file: PathBuf,
    /// Request an image
    #[arg(long)]
    pub image: bool,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub user: UserArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub risk: RiskArgs,
}

/// The command line of `iqr request`.
#[derive(Debug, Clone, Args)]
pub struct RequestArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub card: ValidateArgs,
    /// A file with the customer's one-time password; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub otp_file: Option<PathBuf>,
}

/// The command line of `iqr bulk`.
#[derive(Debug, Clone, Args)]
pub struct BulkArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub step: StepArgs,
    /// How many iQRs
    #[arg(long, value_name = "N")]
    pub quantity: NonZeroU32,
}

/// The command line of `iqr link`.
#[derive(Debug, Clone, Args)]
pub struct LinkArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub step: StepArgs,
    /// The iQR's id
    #[arg(long, value_name = "ID")]
    pub qr_id: String,
    /// The iQR's reference
    #[arg(long, value_name = "REF")]
    pub qr_ref: String,
    /// The customer's telephone number
    #[arg(long, value_name = "NUMBER")]
    pub mobile: Option<String>,
    /// Request an image
    #[arg(long)]
    pub image: bool,
    /// A JSON file with the operator, an object; the interface does not show its fields, so it is sent byte for byte
    #[arg(long, value_name = "FILE")]
    pub operator_file: Option<PathBuf>,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub risk: RiskArgs,
}

/// The command line of `iqr reference`.
#[derive(Debug, Clone, Args)]
pub struct ReferenceArgs {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub step: StepArgs,
    /// The iQR's id
    #[arg(long, value_name = "ID")]
    pub qr_id: String,
    /// The last four digits of the card number
    #[arg(long, value_name = "DIGITS")]
    pub pan_last_4: String,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub user: UserArgs,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub risk: RiskArgs,
}

/// Runs a step, and prints the answer as JSON.
pub fn run(args: IqrArgs) -> Result<ExitCode, Failure> {
    match args.step {
        IqrStep::Validate(args) => exchange_iqr_call(&validate_card(&args)?, &args.step),
        IqrStep::Request(args) => exchange_iqr_call(&request_for_customer(&args)?, &args.card.step),
        IqrStep::Bulk(args) => {
            let request = RequestUnassigned {
                transaction_ref: args.step.reference.clone(),
                quantity: args.quantity,
                channel: args.step.channel(),
            };
            exchange_iqr_call(&request, &args.step)
        }
        IqrStep::Link(args) => exchange_iqr_call(&build_link_request(&args)?, &args.step),
        IqrStep::Reference(args) => {
            let request = GetReference {
                transaction_ref: args.step.reference.clone(),
                mobile_number: args.user.mobile.clone(),
                qr_id: args.qr_id.clone(),
                pan_last_4_digits: args.pan_last_4.clone(),
                channel: args.step.channel(),
                user: args.user.user()?,
                risk_control_data: args.risk.data(),
            };
            exchange_iqr_call(&request, &args.step)
        }
    }
}

fn exchange_iqr_call<C: Call<Host = Iqr, Reply = IqrReply>>(call: &C, step: &StepArgs) -> Result<ExitCode, Failure> {
    let settings = step.connection.settings_for(Area::Iqr)?;
    if step.dry_run {
        let client = IqrClient::new(settings, ConnectionArgs::no_token()).map_err(Failure::message)?;
        return output::print_prepared_request(client.prepare(call));
    }
    let token = step.connection.token(&settings)?;
    let reply = IqrClient::new(settings, token).and_then(|client| client.call(call)).map_err(Failure::message)?;
    output::print_reply_json(reply.fields())
}

fn validate_card(args: &ValidateArgs) -> Result<ValidateCard, Failure> {
    Ok(ValidateCard {
        transaction_ref: args.step.reference.clone(),
        auth_data: read_secret(&args.auth_data_file)?,
        mobile_number: args.user.mobile.clone(),
        need_image: args.image,
        channel: args.step.channel(),
        user: args.user.user()?,
        risk_control_data: args.risk.data(),
    })
}

fn request_for_customer(args: &RequestArgs) -> Result<RequestForCustomer, Failure> {
    let card = validate_card(&args.card)?;
    Ok(RequestForCustomer {
        transaction_ref: card.transaction_ref,
        auth_data: card.auth_data,
        mobile_number: card.mobile_number,
        otp: args.otp_file.as_deref().map(read_secret).transpose()?,
        need_image: card.need_image,
        channel: card.channel,
        user: card.user,
        risk_control_data: card.risk_control_data,
    })
}

fn build_link_request(args: &LinkArgs) -> Result<Link, Failure> {
    let operator = match &args.operator_file {
        None => None,
        Some(path) => {
            // Sent unchanged: it may be signed, or its bytes may be counted.
            let text =
                std::fs::read_to_string(path).map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
            Some(Operator::new(text).map_err(|_| format!("`{}` is not one JSON object", path.display()))?)
        }
    };
    Ok(Link {
        transaction_ref: args.step.reference.clone(),
        qr_id: args.qr_id.clone(),
        mobile_number: args.mobile.clone(),
        qr_ref: args.qr_ref.clone(),
        channel: args.step.channel(),
        need_image: args.image,
        operator,
        risk_control_data: args.risk.data(),
    })
}

impl StepArgs {
    fn channel(&self) -> Channel {
        Channel::from(self.channel.as_str())
    }
}

impl UserArgs {
    fn user(&self) -> Result<Option<User>, Failure> {
        let secret = |path: &Option<PathBuf>| match path {
            Some(path) => read_secret(path).map(|secret| Some(secret.expose().to_owned())),
            None => Ok(None),
        };
        let user = User {
            user_id: self.user_id.clone(),
            first_name: self.first_name.clone(),
            last_name: self.last_name.clone(),
            bvn: secret(&self.bvn_file)?,
            nin: secret(&self.nin_file)?,
        };
        Ok((user != User::default()).then_some(user))
    }
}

impl RiskArgs {
    fn data(&self) -> Option<RiskControlData> {
        let current_location = match self.location.as_deref() {
            Some([longitude, latitude]) => Some((longitude.clone(), latitude.clone())),
            _ => None,
        };
        let data = RiskControlData {
            operator_id: self.operator_id.clone(),
            current_location,
            ip_address: self.ip_address.clone(),
        };
        (data != RiskControlData::default()).then_some(data)
    }
}
