"""What a rule file says that the referee needs too: word lists and parameters, through the files that it uses."""

import re

try:
    import tomllib
except ModuleNotFoundError:  # Python before 3.11
    import tomli as tomllib

RIGHT = r"(?:$|[^\pL\pN])"


def load(path):
    with open(path, "rb") as file:
        return tomllib.load(file)


def read(path):
    """The word lists and the parameters, each with its unit, of a rule file and of the files under its `use`."""
    rules = load(path)
    words, parameters = {}, {}
    for used in rules.get("policy", {}).get("use", []) or rules.get("use", []):
        name = used["file"] if isinstance(used, dict) else used
        more_words, more_parameters = read(path.parent / name)
        words.update(more_words)
        parameters.update(more_parameters)
    words.update(rules.get("words", {}))
    for name, said in rules.get("parameters", {}).items():
        if isinstance(said, dict) and "override" in said:
            # In the unit of the parameter that it replaces.
            parameters[name] = (said["override"], parameters[name][1])
        elif isinstance(said, dict):
            parameters[name] = (said.get("value"), said.get("unit"))
        else:
            parameters[name] = (said, None)
    return words, parameters


def in_minor_units(parameters):
    """The numbers among parameters, by name; money in minor units."""
    return {
        name: value * 100 if unit == "money" else value
        for name, (value, unit) in parameters.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    }


def metrics(path):
    """The names of the metrics of a rule file."""
    return set(load(path)["metric"])


def mention(word):
    """A regular expression that finds a word in any case; where it begins or ends with a letter or a digit, none stands
    beside it."""
    return "(?i)" + r"(?:^|[^\pL\pN])" * word[0].isalnum() + literal(word) + RIGHT * word[-1].isalnum()


def before(word):
    """One whose first group is all that stands before the first mention."""
    return "(?is)^(|.*?" + r"[^\pL\pN]" * word[0].isalnum() + ")" + literal(word) + RIGHT * word[-1].isalnum()


def literal(word):
    return re.sub(r"([^\w\s])", r"\\\1", word)
