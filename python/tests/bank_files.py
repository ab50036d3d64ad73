"""Small files in the formats of banks and of spreadsheets."""

from __future__ import annotations

import csv
import io
from xml.sax.saxutils import escape
from zipfile import ZipFile

CSV = """customer,trans_date,credit,desc,id
A,2026-10-01,2500.50,SALARY SEPTEMBER,1
A,2026-10-02,300,NIP/ADA OBI,2
B,2026-10-01,9000,SALES,1
B,2026-10-03,12000.25,SALES,2
B,2026-10-09,7,INTEREST,3
"""

COLUMNS = """
[columns]
customer = "customer"
trans_date = "day"
amount = "amount"
desc = "desc"
id = "id"

[amount]
positive = "credit"
"""

QIF_COLUMNS = """
[customer]
from = "file_name"

[dates]
trans_date = "DD/MM/YYYY"
"""

NDJSON = """{"customer": "A", "trans_date": "2026-10-01", "credit": 2500.50, "desc": "SALARY SEPTEMBER", "id": "1"}
{"customer": "B", "trans_date": "2026-10-03", "credit": 12000.25, "desc": "SALES", "id": "2"}
"""

PROVIDER = """{"status": "success", "data": {"transactions": [
  {"id": "1", "credit": 250000.50, "trans_date": "2026-09-29T23:00:00.000Z", "notes": {"desc": "SALARY SEPTEMBER"}},
  {"id": "2", "credit": 1500, "trans_date": "2026-10-02T23:00:00.000Z", "notes": {"desc": "NIP/ADA OBI"}}
]}}"""

CAMT = """<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-10-05T08:00:00</CreDtTm></GrpHdr>
<Stmt><Id>S1</Id><CreDtTm>2026-10-05T08:00:00</CreDtTm><Acct><Id><Othr><Id>0012345678</Id></Othr></Id></Acct>
<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="NGN">100.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>2026-10-01</Dt></Dt></Bal>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="NGN">2300.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
<Dt><Dt>2026-10-04</Dt></Dt></Bal>
<Ntry><Amt Ccy="NGN">2500.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-10-02</Dt></BookgDt><ValDt><Dt>2026-10-02</Dt></ValDt><AcctSvcrRef>R1</AcctSvcrRef>
<AddtlNtryInf>SALARY</AddtlNtryInf></Ntry>
<Ntry><Amt Ccy="NGN">300.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts>BOOK</Sts>
<BookgDt><Dt>2026-10-04</Dt></BookgDt><ValDt><Dt>2026-10-04</Dt></ValDt><AcctSvcrRef>R2</AcctSvcrRef>
<AddtlNtryInf>POS SHOPRITE</AddtlNtryInf></Ntry>
</Stmt></BkToCstmrStmt></Document>
"""

MT940 = """:20:STARTUMS
:25:50880050/0194774600888
:28C:1/1
:60F:C261001NGN100,00
:61:2610021002C2500,00NTRFNONREF//R1
:86:SALARY
:61:2610041004D300,00NTRFNONREF//R2
:86:POS SHOPRITE
:62F:C261004NGN2300,00
-
"""

OFX = """OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20261005<LANGUAGE>ENG</SONRS>
</SIGNONMSGSRSV1><BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>NGN
<BANKACCTFROM><BANKID>011<ACCTID>0012345678<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20261001<DTEND>20261004
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20261002<TRNAMT>2500.00<FITID>R1<NAME>SALARY</STMTTRN>
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20261004<TRNAMT>-300.00<FITID>R2<NAME>POS SHOPRITE</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>2300.00<DTASOF>20261004</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""

QIF = """!Type:Bank
D02/10/2026
T2,500.00
PSALARY
^
D04/10/2026
T-300.00
PPOS SHOPRITE
^
"""


def workbook_xlsx(workbook: ZipFile, text: str) -> None:
    """Writes a table as a sheet of Excel, with every cell as text."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    rows = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{escape(cell)}</t></is></c>' for cell in row) + "</row>"
        for row in csv.reader(io.StringIO(text))
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        '<sheet name="Records" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    for name, part in parts.items():
        workbook.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{part}')


def workbook_ods(workbook: ZipFile, text: str) -> None:
    """Writes a table as a sheet of OpenDocument, with every cell as text."""
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    rows = "".join(
        "<table:table-row>"
        + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
            for cell in row
        )
        + "</table:table-row>"
        for row in csv.reader(io.StringIO(text))
    )
    workbook.writestr("mimetype", kind)
    workbook.writestr(
        "META-INF/manifest.xml",
        f'<manifest:manifest xmlns:manifest="{urn}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
    )
    workbook.writestr(
        "content.xml",
        f'<office:document-content xmlns:office="{urn}:office:1.0" xmlns:table="{urn}:table:1.0" '
        f'xmlns:text="{urn}:text:1.0"><office:body><office:spreadsheet><table:table table:name="Records">'
        f"{rows}</table:table></office:spreadsheet></office:body></office:document-content>",
    )
