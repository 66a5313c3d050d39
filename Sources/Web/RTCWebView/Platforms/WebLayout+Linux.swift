#if os(Linux) && WebKitGTK
    /// The layout of the panel over a page and of its window, for GTK's builder and style sheets.
    enum WebLayout {
        /// The page is the overlay's child; the veil above it blocks clicks on the page while a question is shown.
        static let panel = """
            <?xml version="1.0" encoding="UTF-8"?>
            <interface>
              <object class="GtkOverlay" id="root">
                <property name="hexpand">true</property>
                <property name="vexpand">true</property>
                <child type="overlay">
                  <object class="GtkBox" id="veil">
                    <property name="visible">false</property>
                    <property name="orientation">vertical</property>
                    <style><class name="duet-web-veil"/></style>
                    <child>
                      <object class="GtkBox" id="card">
                        <property name="orientation">vertical</property>
                        <property name="halign">center</property>
                        <property name="valign">start</property>
                        <property name="spacing">12</property>
                        <property name="width-request">420</property>
                        <property name="accessible-role">dialog</property>
                        <style><class name="duet-web-panel"/></style>
                        <child>
                          <object class="GtkLabel" id="title">
                            <property name="xalign">0</property>
                            <property name="wrap">true</property>
                            <property name="wrap-mode">word-char</property>
                            <property name="max-width-chars">44</property>
                            <style><class name="duet-web-title"/></style>
                          </object>
                        </child>
                        <child>
                          <object class="GtkScrolledWindow">
                            <property name="hscrollbar-policy">never</property>
                            <property name="propagate-natural-height">true</property>
                            <property name="max-content-height">260</property>
                            <property name="child">
                              <object class="GtkLabel" id="message">
                                <property name="xalign">0</property>
                                <property name="yalign">0</property>
                                <property name="wrap">true</property>
                                <property name="wrap-mode">word-char</property>
                                <property name="max-width-chars">48</property>
                              </object>
                            </property>
                          </object>
                        </child>
                        <child>
                          <object class="GtkEntry" id="text">
                            <property name="activates-default">false</property>
                            <accessibility><property name="label">Your answer</property></accessibility>
                          </object>
                        </child>
                        <child>
                          <object class="GtkCheckButton" id="silence">
                            <property name="label">Show no more dialogs of this page</property>
                          </object>
                        </child>
                        <child>
                          <object class="GtkBox">
                            <property name="halign">end</property>
                            <property name="spacing">8</property>
                            <child>
                              <object class="GtkButton" id="cancel">
                                <child>
                                  <object class="GtkShortcutController">
                                    <property name="scope">global</property>
                                    <child><object class="GtkShortcut">
                                      <property name="trigger">Escape</property>
                                      <property name="action">activate</property>
                                    </object></child>
                                  </object>
                                </child>
                              </object>
                            </child>
                            <child>
                              <object class="GtkButton" id="accept"><style><class name="suggested-action"/></style></object>
                            </child>
                          </object>
                        </child>
                      </object>
                    </child>
                  </object>
                </child>
              </object>
            </interface>
            """

        /// All buttons of the bar; a sign-in shows Cancel, a browser shows back, forward and reload.
        static let window = """
            <?xml version="1.0" encoding="UTF-8"?>
            <interface>
              <object class="GtkWindow" id="window">
                <property name="icon-name">camera-web</property>
                <property name="child">
                  <object class="GtkBox" id="content">
                    <property name="orientation">vertical</property>
                    <child>
                      <object class="GtkBox" id="bar">
                        <property name="spacing">6</property>
                        <property name="accessible-role">group</property>
                        <style><class name="duet-web-bar"/></style>
                        <accessibility><property name="label">Navigation</property></accessibility>
                        \(button("cancel", "Cancel", "Cancel", "Escape"))
                        \(button("back", "←", "Back", "&lt;Alt&gt;Left"))
                        \(button("forward", "→", "Forward", "&lt;Alt&gt;Right"))
                        \(button("reload", "↻", "Reload", "F5|&lt;Control&gt;r"))
                        <child>
                          <object class="GtkLabel" id="address">
                            <property name="hexpand">true</property>
                            <property name="ellipsize">middle</property>
                            <property name="selectable">false</property>
                            <style><class name="duet-web-address"/></style>
                          </object>
                        </child>
                        \(toggle("microphone", "Microphone on", "Mute what this page hears"))
                        \(toggle("camera", "Camera on", "Mute what this page sees"))
                        <child>
                          <object class="GtkSpinner" id="spinner"><property name="spinning">true</property></object>
                        </child>
                      </object>
                    </child>
                    <child>
                      <object class="GtkProgressBar" id="progress">
                        <style><class name="duet-web-progress"/></style>
                        <accessibility><property name="label">Loading</property></accessibility>
                      </object>
                    </child>
                  </object>
                </property>
              </object>
            </interface>
            """

        private static func button(_ id: String, _ label: String, _ name: String, _ trigger: String) -> String {
            """
            <child>
              <object class="GtkButton" id="\(id)">
                <property name="label">\(label)</property>
                <property name="tooltip-text">\(name)</property>
                <accessibility><property name="label">\(name)</property></accessibility>
                <child>
                  <object class="GtkShortcutController">
                    <property name="scope">global</property>
                    <child><object class="GtkShortcut">
                      <property name="trigger">\(trigger)</property>
                      <property name="action">activate</property>
                    </object></child>
                  </object>
                </child>
              </object>
            </child>
            """
        }

        private static func toggle(_ id: String, _ label: String, _ name: String) -> String {
            """
            <child>
              <object class="GtkToggleButton" id="\(id)">
                <property name="label">\(label)</property>
                <property name="visible">false</property>
                <property name="tooltip-text">\(name)</property>
                <style><class name="duet-web-live"/></style>
              </object>
            </child>
            """
        }

        static let style = """
            .duet-web-veil { background-color: rgba(0, 0, 0, 0.34); padding: 28px 12px; }
            .duet-web-panel { background-color: @theme_bg_color; color: @theme_fg_color; border-radius: 14px; padding: 20px;
              box-shadow: 0 0 0 1px rgba(0, 0, 0, 0.16), 0 8px 28px rgba(0, 0, 0, 0.4); }
            .duet-web-title { font-weight: bold; font-size: 1.08em; }
            .duet-web-bar { padding: 6px 8px; }
            .duet-web-bar button { min-height: 30px; padding: 0 11px; }
            .duet-web-address { padding: 0 8px; }
            button.duet-web-live { background: #c01c28; color: #ffffff; border: none; }
            button.duet-web-live:checked { background: alpha(currentColor, 0.12); color: inherit; }
            .duet-web-progress trough, .duet-web-progress progress { min-height: 3px; margin: 0; border-radius: 0; border: none; }
            """
    }
#endif
