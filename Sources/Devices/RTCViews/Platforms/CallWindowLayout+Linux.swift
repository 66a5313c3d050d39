#if os(Linux)
    /// The layout of a call's window, as GTK builder XML and a style sheet.
    ///
    /// The local video is in a scrolled window without bars: that gives a GTK widget a size independent of its content.
    enum CallWindowLayout {
        static let interface = """
            <?xml version="1.0" encoding="UTF-8"?>
            <interface>
              <object class="GtkWindow" id="window">
                <property name="icon-name">camera-web</property>
                <style><class name="duet-call"/></style>
                <property name="child">
                  <object class="GtkBox">
                    <property name="orientation">vertical</property>
                    <child>
                      <object class="GtkOverlay">
                        <property name="vexpand">true</property>
                        <style><class name="duet-stage"/></style>
                        <property name="child">
                          <object class="GtkPicture" id="remote">
                            <property name="hexpand">true</property>
                            <property name="vexpand">true</property>
                            <property name="alternative-text">Picture of the other side</property>
                          </object>
                        </property>
                        <child type="overlay">
                          <object class="GtkLabel" id="placeholder">
                            <property name="halign">center</property>
                            <property name="valign">center</property>
                            <property name="wrap">true</property>
                            <property name="justify">center</property>
                            <property name="can-target">false</property>
                            <style><class name="duet-placeholder"/></style>
                          </object>
                        </child>
                        <child type="overlay">
                          <object class="GtkLabel" id="code">
                            <property name="halign">start</property>
                            <property name="valign">start</property>
                            <property name="margin-top">16</property>
                            <property name="margin-start">16</property>
                            <property name="visible">false</property>
                            <property name="tooltip-text">Read this to each other: if both see the same, nobody is in the middle.</property>
                            <style><class name="duet-code"/></style>
                          </object>
                        </child>
                        <child type="overlay">
                          <object class="GtkScrolledWindow" id="corner">
                            <property name="halign">end</property>
                            <property name="valign">start</property>
                            <property name="overflow">hidden</property>
                            <property name="margin-top">16</property>
                            <property name="margin-end">16</property>
                            <property name="visible">false</property>
                            <property name="can-target">false</property>
                            <property name="hscrollbar-policy">external</property>
                            <property name="vscrollbar-policy">external</property>
                            <style><class name="duet-corner"/></style>
                            <property name="child">
                              <object class="GtkPicture" id="local">
                                <property name="alternative-text">Your own picture</property>
                              </object>
                            </property>
                          </object>
                        </child>
                        <child type="overlay">
                          <object class="GtkBox">
                            <property name="halign">center</property>
                            <property name="valign">end</property>
                            <property name="spacing">14</property>
                            <property name="accessible-role">group</property>
                            <style><class name="duet-controls"/></style>
                            <accessibility><property name="label">Call controls</property></accessibility>
                            \(toggle("microphone", "Mute microphone", "Mute microphone (M)", "m|&lt;Control&gt;d"))
                            \(toggle("camera", "Turn camera off", "Turn camera off (V)", "v|&lt;Control&gt;e"))
                            <child>
                              <object class="GtkButton" id="switch-camera">
                                <property name="visible">false</property>
                                <property name="tooltip-text">Switch to another camera (C)</property>
                                <style><class name="duet-control"/></style>
                                <accessibility><property name="label">Switch to another camera</property></accessibility>
                                \(shortcut("c"))
                                <property name="child">
                                  <object class="GtkImage" id="switch-camera-icon"><property name="pixel-size">24</property></object>
                                </property>
                              </object>
                            </child>
                            \(toggle("mirror", "Turn mirror off", "Show your own picture as others see it (R)", "r"))
                            <child>
                              <object class="GtkMenuButton" id="devices">
                                <property name="visible">false</property>
                                <property name="direction">up</property>
                                <property name="tooltip-text">Choose camera, microphone and speaker</property>
                                <style><class name="duet-devices"/></style>
                                <accessibility><property name="label">Choose camera, microphone and speaker</property></accessibility>
                                <property name="child">
                                  <object class="GtkImage" id="devices-icon"><property name="pixel-size">24</property></object>
                                </property>
                                <property name="popover">
                                  <object class="GtkPopover">
                                    <property name="child">
                                      <object class="GtkBox">
                                        <property name="orientation">vertical</property>
                                        <property name="spacing">6</property>
                                        <style><class name="duet-choices"/></style>
                                        \(choice("camera", "Camera"))
                                        \(choice("microphone", "Microphone"))
                                        \(choice("speaker", "Speaker"))
                                      </object>
                                    </property>
                                  </object>
                                </property>
                              </object>
                            </child>
                            <child>
                              <object class="GtkButton" id="hang-up">
                                <property name="tooltip-text">Hang up (Ctrl+W)</property>
                                <style><class name="duet-control"/><class name="duet-hang-up"/></style>
                                <accessibility><property name="label">Hang up</property></accessibility>
                                \(shortcut("&lt;Control&gt;w|&lt;Control&gt;q|Escape"))
                                <property name="child">
                                  <object class="GtkImage" id="hang-up-icon"><property name="pixel-size">26</property></object>
                                </property>
                              </object>
                            </child>
                          </object>
                        </child>
                      </object>
                    </child>
                    <child>
                      <object class="GtkLabel" id="status">
                        <property name="xalign">0</property>
                        <property name="ellipsize">end</property>
                        <property name="accessible-role">status</property>
                        <style><class name="duet-status"/></style>
                      </object>
                    </child>
                  </object>
                </property>
              </object>
            </interface>
            """

        private static func toggle(_ id: String, _ label: String, _ tooltip: String, _ trigger: String) -> String {
            """
            <child>
              <object class="GtkToggleButton" id="\(id)">
                <property name="tooltip-text">\(tooltip)</property>
                <style><class name="duet-control"/></style>
                <accessibility><property name="label">\(label)</property></accessibility>
                \(shortcut(trigger))
                <property name="child">
                  <object class="GtkImage" id="\(id)-icon"><property name="pixel-size">24</property></object>
                </property>
              </object>
            </child>
            """
        }

        private static func choice(_ id: String, _ label: String) -> String {
            """
            <child>
              <object class="GtkBox" id="\(id)-row">
                <property name="orientation">vertical</property>
                <property name="visible">false</property>
                <child>
                  <object class="GtkLabel" id="\(id)-label">
                    <property name="label">\(label)</property>
                    <property name="xalign">0</property>
                  </object>
                </child>
                <child>
                  <object class="GtkDropDown" id="\(id)-choice">
                    <accessibility><relation name="labelled-by">\(id)-label</relation></accessibility>
                  </object>
                </child>
              </object>
            </child>
            """
        }

        private static func shortcut(_ trigger: String) -> String {
            """
            <child>
              <object class="GtkShortcutController">
                <property name="scope">global</property>
                <child><object class="GtkShortcut">
                  <property name="trigger">\(trigger)</property>
                  <property name="action">activate</property>
                </object></child>
              </object>
            </child>
            """
        }

        /// The video area is dark in every theme; its surroundings have the theme's colours.
        static let style = """
            .duet-stage { background-color: #101216; }
            .duet-placeholder { color: rgba(255, 255, 255, 0.72); font-size: 1.35em; padding: 24px; }
            .duet-code { color: rgba(255, 255, 255, 0.86); background-color: rgba(24, 26, 31, 0.6); border-radius: 14px;
              padding: 5px 12px; font-feature-settings: "tnum"; }
            .duet-corner { border-radius: 12px; background-color: #23262d;
              box-shadow: 0 0 0 1px rgba(255, 255, 255, 0.22), 0 4px 16px rgba(0, 0, 0, 0.5); }
            .duet-controls { margin-bottom: 20px; padding: 10px 14px; border-radius: 40px;
              background-color: rgba(24, 26, 31, 0.78); }
            button.duet-control { min-width: 52px; min-height: 52px; padding: 0; border: none; border-radius: 26px;
              background: rgba(255, 255, 255, 0.16); box-shadow: none; outline-offset: 2px; transition: background 150ms; }
            button.duet-control:hover { background: rgba(255, 255, 255, 0.28); }
            button.duet-control:checked { background: #f6f6f8; }
            button.duet-control:checked:hover { background: #ffffff; }
            button.duet-control:disabled { opacity: 0.4; }
            button.duet-control:focus-visible { outline: 2px solid #8ab4f8; }
            .duet-devices > button { min-width: 52px; min-height: 52px; padding: 0; border: none; border-radius: 26px;
              background: rgba(255, 255, 255, 0.16); box-shadow: none; }
            .duet-devices > button:hover { background: rgba(255, 255, 255, 0.28); }
            .duet-devices > button:focus-visible { outline: 2px solid #8ab4f8; }
            .duet-choices { padding: 6px; }
            button.duet-hang-up { min-width: 72px; background: #d92d35; }
            button.duet-hang-up:hover { background: #ee4249; }
            .duet-status { padding: 8px 14px; font-feature-settings: "tnum"; }
            """
    }
#endif
