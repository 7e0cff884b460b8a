// Shows differences, findings of the check, losses of the scene, and notes.

import { counted, element, grouped } from "./text.js";

/**
 * Fills the list, starting with the differences between two files if there are two. Calls `onSelect` with the path and span of a
 * selected finding or loss, and `onDifference` with a selected difference. Returns the number of findings as text.
 */
export function showFindings({ findings, losses, notes, fault, model, is_converted: isConverted }, comparison, onSelect, onDifference) {
  const parts = comparison ? differenceList(comparison, onDifference) : [];
  parts.push(element("h2", {}, `Findings (${findings.length})`));
  const all = findings.map((finding) => ({
    severity: finding.rule.severity,
    text: finding.message,
    path: finding.path,
    span: finding.span,
    rule: `${finding.rule.code}: ${finding.rule.summary}`,
  }));
  if (fault && !findings.some((finding) => finding.path === fault.path)) {
    all.push({ severity: "fatal", text: `The fields end here: ${fault.message}`, path: fault.path, span: fault.span, rule: "" });
  }
  parts.push(all.length ? element("ul", {}, all.map((finding) => findingItem(finding, onSelect))) : noteElement("The check found no violations."));
  parts.push(element("h2", {}, `Losses (${losses.length})`));
  const shown = isConverted ? "The model contains everything in the file." : "Unknown: the file could not be converted to a model.";
  const noLosses = model ? shown : "There is no model.";
  parts.push(losses.length ? element("ul", {}, losses.map((loss) => lossItem(loss, onSelect))) : noteElement(noLosses));
  if (notes.length) {
    parts.push(element("h2", {}, "Notes"));
    parts.push(element("ul", {}, notes.map((note) => element("li", {}, note))));
  }
  document.getElementById("findings").replaceChildren(...parts);
  const [title, count] = comparison ? ["Differences", comparison.total] : ["Findings", all.length];
  document.querySelector('#tabs [data-tab="findings"]').textContent = count ? `${title} (${grouped(count)})` : title;
  return counted(all.length, "finding", "findings");
}

function differenceList({ compared, total, differences, notes }, onDifference) {
  const items = differences.map((difference) => {
    const button = element("button", { type: "button" }, difference.text);
    button.addEventListener("click", () => onDifference(difference));
    return element("li", {}, button);
  });
  const method = { values: "Compared value by value.", scenes: "Compared as scenes: the files have different formats, or interchange formats." }[compared];
  return [
    element("h2", {}, `Differences (${grouped(total)})`),
    method ? noteElement(method) : null,
    compared && !total ? noteElement("The files do not differ.") : element("ul", {}, items),
    ...notes.map(noteElement),
  ].filter(Boolean);
}

function noteElement(text) {
  return element("p", { class: "none" }, text);
}

function findingItem({ severity, text, path, span, rule }, onSelect) {
  const button = element(
    "button",
    { type: "button" },
    element("span", { class: `severity ${severity}` }, severity),
    path ? element("code", {}, path) : null,
    path ? ": " : null,
    text,
    element("div", { class: "rule" }, rule),
  );
  button.addEventListener("click", () => onSelect(path, span));
  return element("li", {}, button);
}

function lossItem({ path, text }, onSelect) {
  const button = element("button", { type: "button" }, text);
  button.addEventListener("click", () => onSelect(path, null));
  return element("li", {}, button);
}
