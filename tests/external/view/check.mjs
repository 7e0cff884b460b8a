// Tests the pages of `meshspec view` in Chromium with simulated user input.
//
// Usage: node check.mjs CHROMIUM PROGRAM FOLDER SCREENSHOTS

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Tree } from "./tree.mjs";
import { browser, clickCanvas, close, colorCount, file, markedBytes, markedPlace, NARROW, open, openList, range, selection, selectPath, snapshot, WIDE } from "./pages.mjs";

const [, , , program, folder, shots] = process.argv;

const checks = {
  async "every page opens, and shows its model"() {
    for (const name of readdirSync(folder).filter((name) => name.endsWith(".html"))) {
      const page = await file(name.replace(/\.html$/, ""));
      const hasModel = await page.locator(".no-model").isHidden();
      assert.equal(hasModel, !/^(truncated|hostile_broken)/.test(name), name);
      if (hasModel && !name.startsWith("mesh-index")) assert.ok((await colorCount(page)) > 8, `${name}: blank`);
      await close(page);
    }
  },

  async "the model moves under the mouse and the keys"() {
    const page = await file("tentacle.mesh");
    const box = await page.locator("#canvas").boundingBox();
    const center = [box.x + box.width / 2, box.y + box.height / 2];
    await snapshot(page);
    const changes = async (what) => assert.ok((await snapshot(page)) > 200, what);
    await page.mouse.move(...center);
    await page.mouse.down();
    await page.mouse.move(center[0] + 60, center[1] + 10);
    await page.mouse.up();
    await changes("orbit");
    await page.keyboard.down("Shift");
    await page.mouse.down();
    await page.mouse.move(center[0] + 90, center[1] + 30);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await changes("pan");
    await page.mouse.wheel(0, 200);
    await changes("zoom");
    await page.focus("#canvas");
    for (const key of ["f", "ArrowLeft", "2", "3", "4", "6", "1"]) {
      await page.keyboard.press(key);
      await changes(`key ${key}`);
    }
    await page.click("text=Joints");
    await changes("joints");
    await page.click("text=Grid");
    await changes("grid");
    await close(page);
  },

  async "a click selects the triangle under the pointer, with its fields and bytes"() {
    const page = await file("two.mesh");
    await selectPath(page, "indices[0]");
    const left = await markedPlace(page);
    assert.ok(left.count > 50 && left.x < 0.5, JSON.stringify(left));
    await selectPath(page, "indices[5]");
    const right = await markedPlace(page);
    assert.ok(right.count > 50 && right.x > 0.5, JSON.stringify(right));
    await clickCanvas(page, 0.02, 0.95);
    assert.equal(await markedPlace(page), null);
    for (const [place, triangle] of [[left, 0], [right, 1]]) {
      await clickCanvas(page, place.x, place.y);
      const text = await selection(page);
      assert.match(text, new RegExp(`Triangle ${triangle} of mesh 0`));
      assert.match(text, new RegExp(`indices\\[${3 * triangle}\\.\\.${3 * triangle + 3}\\]`));
      // A header of 13 bytes, then six vertices of 12 bytes each.
      const start = 13 + 72 + 12 * triangle;
      assert.deepEqual(await markedBytes(page), range(start, start + 12));
      const vertex = Number(/vertex (\d)/.exec(text)[1]);
      assert.ok(vertex >= 3 * triangle && vertex < 3 * triangle + 3);
      assert.deepEqual(await markedBytes(page, "selected2"), range(13 + 12 * vertex, 25 + 12 * vertex));
      const row = await page.locator("#tree .row.selected").getAttribute("data-path");
      assert.equal(row, `indices[${3 * triangle}]`);
      const marked = await markedPlace(page);
      assert.ok(Math.abs(marked.x - place.x) < 0.03 && Math.abs(marked.y - place.y) < 0.03);
    }
    await close(page);
  },

  async "bytes, fields and findings select each other"() {
    const page = await file("two.mesh");
    await page.locator('#bytes .b[data-at="26"]').click();
    assert.match(await selection(page), /vertices\[1\]\.position = \[-1\.0, 0\.0, 0\.0\][^]*vertex 1 of mesh 0/);
    await close(page);

    const broken = await file("mesh-index-range-1.mesh");
    await broken.locator("#findings li button").first().click();
    assert.match(await selection(broken), /indices[^]*face 0 of mesh 0/);
    assert.equal((await markedBytes(broken)).length, 4);
    await close(broken);

    const truncated = await file("truncated.mesh");
    await truncated.locator("#findings li button").first().click();
    assert.match(await selection(truncated), /animations\[0\]\.poses/);
    assert.ok((await markedBytes(truncated)).length > 0);
    await close(truncated);
  },

  async "packed bytes are shown beside what they unpack to"() {
    const page = await file("tetrahedra.cmodel");
    await selectPath(page, "chunks[1].streams[0].data[2]");
    assert.equal(await page.locator("#bytes .hex").count(), 2);
    assert.deepEqual(await markedBytes(page, "selected", 1), range(24, 36));
    assert.match(await selection(page), /vertex 2 of mesh 1/);
    await close(page);
  },

  async "a list is opened in pages, and items beyond the first page are decoded"() {
    const page = await file("hills_500k.mesh");
    await selectPath(page, "vertices[250999]");
    const side = 501;
    const [x, z] = [250999 % side, Math.floor(250999 / side)];
    const text = await selection(page);
    assert.match(text, /vertex 250999 of mesh 0/);
    assert.deepEqual(await markedBytes(page), range(13 + 12 * 250999, 25 + 12 * 250999));
    const value = await page.locator('#tree [data-path="vertices[250999].position"] .value').count();
    if (!value) await page.locator("#tree .row.selected .toggle").click();
    const shown = await page.locator('#tree [data-path="vertices[250999].position"] .value').innerText();
    const [px, , pz] = JSON.parse(shown);
    assert.ok(Math.abs(px - x / 500) < 1e-6 && Math.abs(pz - z / 500) < 1e-6, shown);
    await clickCanvas(page, 0.5, 0.5);
    const triangle = Number(/Triangle (\d+)/.exec(await selection(page))[1]);
    assert.ok(triangle > 1000 && triangle < 500000);
    const start = 13 + 12 * side * side + 12 * triangle;
    assert.deepEqual(await markedBytes(page), range(start, start + 12));
    await close(page);
  },

  async "an animation moves, stops and follows its time line"() {
    for (const name of ["tentacle.mesh", "tentacle.bmd", "tentacle.glb"]) {
      const page = await file(name);
      await page.locator("#timeline select").first().selectOption("1");
      await snapshot(page);
      await page.waitForTimeout(400);
      assert.ok((await snapshot(page)) > 200, `${name} moves`);
      await page.click("#timeline button");
      await page.locator("#timeline input").fill("0.6");
      await snapshot(page);
      await page.waitForTimeout(200);
      assert.equal(await snapshot(page), 0, `${name} stops`);
      await page.locator("#timeline input").fill("0.1");
      assert.ok((await snapshot(page)) > 200, `${name} follows`);
      await close(page);
    }
  },

  async "a key selects its time, a joint its place"() {
    const page = await file("tentacle.mesh");
    await selectPath(page, "animations[0].poses[9]");
    assert.match(await page.locator("#timeline output").innerText(), /^1\.00 of 2\.00 s$/);
    await selectPath(page, "joints[2]");
    assert.match(await selection(page), /joint 2/);
    await close(page);
  },

  async "levels and meshes go on and off"() {
    const page = await file("pyramid.bmd");
    await snapshot(page);
    await page.click("#controls summary");
    await page.locator("#meshes input").first().uncheck();
    await page.click("#controls summary");
    assert.ok((await snapshot(page)) > 200);
    await close(page);
  },

  async "hostile names run nothing"() {
    for (const name of readdirSync(folder).filter((name) => /^(hostile|<img).*\.html$/.test(name))) {
      const page = await file(name.replace(/\.html$/, ""));
      // Without a model, there is no list of meshes.
      const meshes = page.locator("#controls summary");
      for (let click = 0; click < 2 * (await meshes.count()); click++) await meshes.click();
      const toggles = page.locator("#tree .toggle");
      if ((await toggles.count()) > 1) await toggles.nth(1).click();
      for (const button of await page.locator("#findings li button:visible").all()) await button.click();
      assert.equal(await page.evaluate(() => window.ran), undefined, name);
      assert.equal(await page.locator("img").count(), 0, name);
      const text = await page.locator("body").innerText();
      assert.ok(!/[\u202a-\u202e\u2028]/.test(text), `${name}: characters that change the direction of text must be escaped`);
      await close(page);
    }
  },

  async "tiny and huge models are shaded, and found by a click"() {
    for (const [name, mode] of [["tiny.mesh", "1"], ["huge.mesh", "1"], ["tiny.mesh", "3"], ["huge.mesh", "3"]]) {
      const page = await file(name);
      await page.focus("#canvas");
      await page.keyboard.press(mode);
      await snapshot(page);
      // A normal that is no number is black.
      const black = await page.evaluate(() => window.kept.filter((pixel) => (pixel & 0xffffff) === 0).length);
      assert.ok(black === 0 && (await colorCount(page)) > 60, `${name}: ${black} black pixels`);
      await clickCanvas(page, 0.5, 0.5);
      assert.match(await selection(page), /Triangle/);
      await close(page);
    }
  },

  async "an image of base colours is on the model, upright"() {
    const page = await file("square.obj");
    await page.waitForTimeout(300);
    await snapshot(page);
    const places = await page.evaluate(() => {
      const rows = { red: [], blue: [] };
      window.kept.forEach((pixel, at) => {
        const [red, blue] = [pixel & 255, (pixel >> 16) & 255];
        if (red > 120 && blue < 60) rows.red.push(Math.floor(at / window.keptWidth));
        if (blue > 120 && red < 60) rows.blue.push(Math.floor(at / window.keptWidth));
      });
      return Object.fromEntries(Object.entries(rows).map(([color, all]) => [color, [all.length, all.reduce((a, b) => a + b, 0) / all.length]]));
    });
    assert.ok(places.red[0] > 1000 && places.blue[0] > 1000 && places.red[1] < places.blue[1], JSON.stringify(places));
    await close(page);
  },

  async "two files are compared: colours, differences and places in both"() {
    const page = await file("comparison");
    assert.equal(await page.locator("canvas").count(), 2);
    const isRed = () => page.evaluate(() => window.kept.some((pixel) => (pixel & 255) > 170 && ((pixel >> 8) & 255) < 110 && ((pixel >> 16) & 255) < 70));
    await snapshot(page, "other-canvas");
    assert.ok(await isRed(), "the raised vertex is red");
    const differences = page.locator("#findings li button");
    await differences.filter({ hasText: "vertices[40].position" }).click();
    assert.match(await selection(page), /by 0\.2[^]*vertex 40 of mesh 0/);
    assert.deepEqual(await markedBytes(page), range(13 + 12 * 40, 25 + 12 * 40));
    // The missing triangle is only in the first file: its indices and its location are marked there.
    await differences.filter({ hasText: "removed" }).click();
    const start = 13 + 12 * 81 + 4 * 381;
    assert.deepEqual(await markedBytes(page), range(start, start + 12));
    const first = await markedPlace(page);
    assert.ok(first.count > 50, JSON.stringify(first));
    // One camera moves both models.
    await snapshot(page, "other-canvas");
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.move(box.x + 60, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + 210);
    await page.mouse.up();
    assert.ok((await snapshot(page, "other-canvas")) > 200);
    // A click on the other model shows its file.
    const other = await page.locator("#other-canvas").boundingBox();
    await page.mouse.click(other.x + other.width / 2, other.y + other.height / 2);
    assert.equal(await page.locator('#file [aria-pressed="true"]').innerText(), "after.mesh");
    assert.match(await selection(page), /Triangle \d+ of mesh 0, vertex \d+, [\d.e-]+ m from the other file/);
    await close(page);

    // Of different formats: the farthest vertex, and poses.
    const models = await file("formats");
    await models.locator("#findings li button").filter({ hasText: "joints:" }).click();
    assert.equal(await selection(models), "joints: 4 → 5, by 1");
    await models.locator("#findings li button").filter({ hasText: "@0.5.surface" }).click();
    assert.match(await models.locator("#timeline output").innerText(), /^0\.50 of/);
    await close(models);
    const scenes = await file("scenes");
    await scenes.locator("#findings li button").filter({ hasText: /^surface/ }).click();
    assert.match(await selection(scenes), /Farthest: vertex 40 of mesh 0, 0\.\d+ m/);
    assert.equal(await scenes.locator('#file [aria-pressed="true"]').innerText(), "after.glb");
    await close(scenes);
  },

  async "screenshots of both themes and widths"() {
    for (const [size, viewport] of Object.entries({ wide: WIDE, narrow: NARROW })) {
      for (const colorScheme of ["light", "dark"]) {
        const both = await file("comparison", { viewport, colorScheme });
        await both.screenshot({ path: join(shots, `${size}-${colorScheme}-comparison.png`) });
        assert.ok((await both.evaluate(() => document.documentElement.scrollWidth - innerWidth)) <= 0);
        await close(both);
        const page = await file("tentacle.bmd", { viewport, colorScheme });
        await clickCanvas(page, 0.5, 0.5);
        assert.match(await selection(page), /Triangle/);
        const tabs = size === "wide" ? ["model"] : ["model", "fields", "bytes", "findings"];
        for (const tab of tabs) {
          if (size === "narrow") await page.click(`#tabs [data-tab="${tab}"]`);
          await page.screenshot({ path: join(shots, `${size}-${colorScheme}-${tab}.png`) });
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(overflow <= 0, `${size} ${tab}: ${overflow} pixels too wide`);
        }
        await close(page);
      }
    }
  },

  async "a folder is served, and a page reloads when its file changes"() {
    const server = spawn(program, ["view", "--serve", folder]);
    try {
      const address = await new Promise((done) => server.stdout.once("data", (data) => done(String(data).trim())));
      const list = await openList(address);
      assert.ok((await list.locator("a").count()) > 20);
      await list.close();
      const page = await open(`${address}view/two.mesh`);
      await selectPath(page, "vertices[1]");
      await page.waitForTimeout(1500);
      const reloaded = page.waitForEvent("load", { timeout: 15000 });
      appendFileSync(join(folder, "two.mesh"), "x");
      await reloaded;
      await page.waitForFunction(() => document.querySelector("#summary").textContent.includes("110 bytes"));
      assert.match(await selection(page), /vertices\[1\]/);
      await close(page);
    } finally {
      server.kill();
    }
  },

  async "omitted items of lists have the byte order of their type"() {
    const item = (type, value) => ({ step: "[0]", type, offset: 0, size: 2, value });
    const list = (step, first) => ({ step, offset: 0, size: 4, count: 2, stride: 2, parts: [first] });
    const field = { step: ".low", type: "u10", offset: 0, size: 2, bits: { offset: 0, width: 10 }, value: "1" };
    const parts = ["", "big-endian "].flatMap((order, index) => [
      list(`numbers_${index}`, item(`${order}u16`, "1")),
      list(`words_${index}`, { ...item(`${order}Word`, "0x1"), parts: [field] }),
    ]);
    const tree = new Tree({ step: "", offset: 0, size: 4, parts }, Uint8Array.from([0, 1, 1, 0x96]), [], false);
    const values = (path) => tree.find(path).branch.value;
    assert.deepEqual(["numbers_0[1]", "words_0[1]", "words_0[1].low"].map(values), ["38401", "0x9601", "513"]);
    assert.deepEqual(["numbers_1[1]", "words_1[1]", "words_1[1].low"].map(values), ["406", "0x196", "406"]);
  },

  async "frames a second"() {
    for (const name of ["hills_100k.mesh", "hills_500k.mesh"]) {
      const page = await file(name);
      const box = await page.locator("#canvas").boundingBox();
      const frames = await page.evaluate(async (box) => {
        const canvas = document.getElementById("canvas");
        const fire = (type, x) => canvas.dispatchEvent(new PointerEvent(type, { clientX: box.x + x, clientY: box.y + 50, pointerId: 1, buttons: 1, bubbles: true }));
        canvas.setPointerCapture = () => {};
        fire("pointerdown", 50);
        const gl = canvas.getContext("webgl2");
        const start = performance.now();
        let count = 0;
        while (performance.now() - start < 3000) {
          fire("pointermove", 50 + count);
          await new Promise((done) => requestAnimationFrame(done));
          // Waits until the picture is complete.
          gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
          count++;
        }
        fire("pointerup", 50);
        return (count * 1000) / (performance.now() - start);
      }, box);
      console.log(`  ${name}: ${frames.toFixed(1)} frames a second`);
      assert.ok(frames > 3, name);
      await close(page);
    }
  },
};

const only = process.env.ONLY;
for (const [name, check] of Object.entries(checks)) {
  if (only && !name.includes(only)) continue;
  const start = Date.now();
  await check();
  console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}
await browser.close();
