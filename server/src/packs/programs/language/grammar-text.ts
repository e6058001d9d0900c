/** The language on one page, for prompts and for the reference. */
export const grammarText = `# Grammar of programs

function  = {"///" text} ["pub"] ["io"] ["total"] "fn" name "(" [param {"," param}] ")" "->" type
            {"requires" expr [string]} {"ensures" expr [string]} block
param     = name ":" type
type_def  = ["pub"] "struct" Name "{" {name ":" type ","} {"invariant" expr [string]} "}"
          | ["pub"] "enum" Name "{" {Name ["(" type ")"] ","} "}"
type      = "bool" | "i8" | "i16" | "i32" | "i64" | "f32" | "f64" | "text" | "unit" | "[" type ";" n "]"
          | "list<" type ">" | "option<" type ">" | "result<" type "," type ">" | [module "."] Name | "@" type_id
block     = "{" {statement} [expr] "}"
statement = {"//" text} ( "let" name [":" type] "=" expr ";" | "var" name ":" type "=" expr ";" | name "=" expr ";"
          | expr ";" | if | match | "while" expr block | "for" name "in" expr [".." expr] block
          | "return" [expr] ";" | "break" ";" | "continue" ";" | "assert" expr [string] ";" )
expr      = operators, weakest first: or | and | not | == != < <= > >= | "|" | ^ | & | << >> >>> | + - +% -% | * / % *%
            | as type | - ~ | .field [index] with
          | if | match | literal | name | "(" expr ")" | "[" [expr {"," expr}] "]" | Name "{" name ":" expr {","} "}"
          | expr "with" "{" (name ":" expr {","} | "[" expr "]" ":" expr) "}" | Name "." Variant ["(" expr ")"]
          | [module "."] name "(" args ")" | "@" function_id "(" args ")"
if        = "if" expr block ["else" (block | if)]
match     = "match" expr "{" {pattern "=>" (expr | block) ","} "}"
pattern   = "_" | integer | string | "true" | "false" | [Name "."] Variant ["(" name ")"]
          | "some" "(" name ")" | "none" | "ok" "(" name ")" | "err" "(" name ")"
literal   = 12 | -3 | 1.5 | "text" | true | false | unit | none | some(expr) | ok(expr) | err(expr)

Values are immutable; only a var can be set. A name is used once in its scope. No conversion is implicit.
The last expression of a block, without ";", is its value. A struct literal in the head of if, while, for, match or in a
condition needs parentheses. A literal takes the expected type, else i64 or f64. +% -% *% wrap; + - * trap on overflow.
>>> shifts zeros in, >> keeps the sign. "for i in a..b" leaves b out. result is known in ensures. print and read_line need io.
total promises: no trap, no endless loop. Conditions are tested on generated inputs.
Built in: abs(n) min(a, b) max(a, b) sqrt(x) floor(x) ceil(x) length(x) push(xs, x) slice(x, from, to) join(a, b) sort(xs)
reverse(x) to_text(x) parse_i64(t) parse_f64(t) contains(t, part) starts_with(t, part) split(t, by) lower(t) upper(t)
print(t) read_line(). parse_* and read_line return an option.

/// Keeps x between low and high.
pub fn clamp(x: i64, low: i64, high: i64) -> i64
  requires low <= high
  ensures result >= low and result <= high
{
  // the common case last
  if x < low { low } else if x > high { high } else { x }
}

struct Account {
  name: text,
  cents: i64,
  invariant cents >= 0 "no debt"
}

enum Order {
  Pay(i64),
  Close,
}

fn apply(account: Account, order: Order) -> result<Account, text> {
  match order {
    Pay(sum) => {
      if sum > account.cents {
        return err("not enough");
      }
      ok(account with { cents: account.cents - max(sum, 0) })
    },
    Close => ok(account with { cents: 0 }),
  }
}

fn sum(xs: list<i64>) -> i64 {
  var all: i64 = 0;
  for x in xs {
    all = all +% x;
  }
  all
}
`;
