//! Charts as SVG whose colours and fonts are those of the page. A chart is drawn in the room that it is given. Must not
//! know portfolios.

mod bars;
mod columns;
mod flow;
mod heat;
mod lines;
mod ranges;

pub(super) use bars::{Bar, Bars, ChartBar};
pub(super) use columns::Columns;
pub(super) use flow::{Flow, Stream};
pub(super) use heat::Heat;
pub(super) use lines::{Axis, Chart, Marker, Point, Series};
pub(super) use ranges::{Range, Ranges};
