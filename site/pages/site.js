/* The theme wraps wide tables in boxes that scroll; the keyboard reaches them by this. */
document$.subscribe(() => {
  const reach = () => {
    for (const box of document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])"))
      Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: "Table" });
  };
  reach();
  new MutationObserver(reach).observe(document.querySelector(".md-content"), { childList: true, subtree: true });
});
